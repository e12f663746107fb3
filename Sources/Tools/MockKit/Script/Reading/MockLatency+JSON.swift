extension MockLatency {
    package enum Key: String, ScriptKey {
        case fixed = "fixed_ms"
        case minimum = "min_ms"
        case maximum = "max_ms"
        case percentiles

        package static let place = "latency"
    }

    package init(_ latency: ScriptObject<Key>) throws(MockError) {
        let form = try latency.onlyOne(of: [.fixed, .minimum, .percentiles])
        if form != .minimum { try latency.refuse(.maximum, because: "is not allowed without min_ms") }
        switch form {
        case .fixed: self = .fixed(try latency.required(.fixed, latency.milliseconds(.fixed)))
        case .minimum:
            let low = try latency.required(.minimum, latency.milliseconds(.minimum))
            let high = try latency.required(.maximum, latency.milliseconds(.maximum))
            guard low <= high else { throw latency.error(.maximum, "must not be below min_ms") }
            self = .uniform(low, high)
        case .percentiles:
            var points: [Percentile] = []
            for point in try latency.objects(.percentiles, Percentile.Key.self) {
                points.append(try Percentile(point))
            }
            guard !points.isEmpty else { throw latency.error(.percentiles, "must not be empty") }
            self = .percentiles(points.sorted { $0.share < $1.share })
        default: throw latency.error("fixed_ms, min_ms with max_ms, or percentiles is required")
        }
    }
}

extension MockLatency.Percentile {
    package enum Key: String, ScriptKey {
        case share
        case latency = "ms"

        package static let place = "latency.percentiles[]"
    }

    package init(_ point: ScriptObject<Key>) throws(MockError) {
        self.init(
            share: try point.required(.share, point.share(.share)),
            latency: try point.required(.latency, point.milliseconds(.latency)))
    }
}
