import ScrapedMetrics

/// The activity of one gateway, or of several together, between two readings of the metrics.
struct TopSample {
    /// Rates a second, up to `processor`.
    var accepted = 0.0
    var refused = 0.0
    var requests = 0.0
    var clientErrors = 0.0
    var serverErrors = 0.0
    var commands = 0.0
    var webhookAttempts = 0.0
    var processor = 0.0
    /// Current values, up to `descriptors`.
    var inFlight = 0.0
    var waiting = 0.0
    var connections = 0.0
    var jobsRunning = 0.0
    var jobsWaiting = 0.0
    var clients = 0.0
    var memory = 0.0
    var descriptors = 0.0
    /// Values of all gateways together, up to `redisMemoryLimit`. Each gateway reports the same ones.
    var unfinished = 0.0
    var lag = 0.0
    var redisMemory = 0.0
    var redisMemoryLimit = 0.0
    /// Durations between the readings, in seconds.
    var pushAnswers = Histogram()
    var requestDurations = Histogram()
    var roundTrips = Histogram()
    /// Problems that need the operator's attention.
    var troubles: Set<String> = []

    /// Cumulative counts by the upper bounds of buckets, in seconds.
    struct Histogram: Equatable {
        private(set) var buckets: [Double: Double] = [:]

        init() {}

        init(_ name: String, _ page: ScrapedPage, since former: ScrapedPage) {
            for (labels, count) in page.series("\(name)_bucket") {
                guard let text = labels["le"], let bound = text == "+Inf" ? .infinity : Double(text) else { continue }
                buckets[bound, default: 0] += max(0, count - (former.value("\(name)_bucket", labels) ?? 0))
            }
        }

        mutating func add(_ other: Histogram) {
            buckets.merge(other.buckets, uniquingKeysWith: +)
        }

        /// Returns the upper bound of the bucket with this quantile; nil if nothing ended. Infinity if only the last
        /// bucket is large enough.
        func quantile(_ part: Double) -> Double? {
            let ordered = buckets.sorted { $0.key < $1.key }
            guard let all = ordered.last?.value, all > 0 else { return nil }
            return ordered.first { $0.value >= part * all }?.key
        }
    }

    init() {}

    /// - Parameter seconds: The time between the readings; more than 0.
    init(_ page: ScrapedPage, since former: ScrapedPage, seconds: Double) {
        /// Returns the growth of a counter a second. A counter that was reset counts from zero.
        func rate(_ name: String, where matches: ([String: String]) -> Bool = { _ in true }) -> Double {
            page.series(name).reduce(0) { sum, series in
                guard matches(series.labels) else { return sum }
                let before = former.value(name, series.labels) ?? 0
                return sum + (series.value >= before ? series.value - before : series.value)
            } / seconds
        }
        func now(_ name: String, _ labels: [String: String] = [:]) -> Double { page.sum(name, labels) }
        accepted = rate("fanfare_pushes_total") { $0["outcome"] == "accepted" }
        refused = rate("fanfare_pushes_total") { $0["outcome"] != "accepted" }
        requests = rate("fanfare_http_requests_total")
        clientErrors = rate("fanfare_http_requests_total") { $0["code"]?.hasPrefix("4") == true }
        serverErrors = rate("fanfare_http_requests_total") { $0["code"]?.hasPrefix("5") == true }
        commands = rate("fanfare_redis_commands_total")
        webhookAttempts = rate("fanfare_webhook_attempts_total")
        processor = rate("process_cpu_seconds_total")
        inFlight = now("fanfare_pushes_in_flight")
        waiting = now("fanfare_pushes_waiting")
        connections = now("fanfare_push_connections", ["state": "ready"])
        jobsRunning = now("fanfare_jobs", ["state": "running"])
        jobsWaiting = now("fanfare_jobs", ["state": "waiting"]) + now("fanfare_jobs", ["state": "resting"])
        clients = now("fanfare_http_connections")
        memory = now("process_resident_memory_bytes")
        descriptors = now("process_open_fds")
        unfinished = now("fanfare_broadcasts_unfinished")
        lag = now("fanfare_broadcast_lag_seconds")
        redisMemory = now("fanfare_redis_memory_used_bytes")
        redisMemoryLimit = now("fanfare_redis_memory_limit_bytes")
        pushAnswers = Histogram("fanfare_push_answer_duration_seconds", page, since: former)
        requestDurations = Histogram("fanfare_http_request_duration_seconds", page, since: former)
        roundTrips = Histogram("fanfare_redis_round_trip_seconds", page, since: former)
        troubles = TopSample.troubles(page, since: former)
    }

    private static func troubles(_ page: ScrapedPage, since former: ScrapedPage) -> Set<String> {
        var troubles: Set<String> = []
        for (labels, value) in page.series("fanfare_push_paused") where value > 0 {
            troubles.insert("pushes paused: \(labels["provider"] ?? "a provider"), \(labels["reason"] ?? "in trouble")")
        }
        if page.value("fanfare_redis_up") == 0 { troubles.insert("Redis unavailable") }
        for (labels, value) in page.series("fanfare_redis_check") where value == 0 {
            troubles.insert("Redis check failed: \(labels["check"] ?? "")")
        }
        for (name, label, words) in [
            ("fanfare_broadcast_stops_total", "reason", "broadcasts stopped"),
            ("fanfare_broadcast_rejections_total", "reason", "broadcasts rejected"),
            ("fanfare_redis_refusals_total", "kind", "Redis refused commands"),
            ("fanfare_share_refusals_total", "resource", "shares used up"),
            ("fanfare_quota_refusals_total", "limit", "quotas used up"),
        ] {
            for (labels, value) in page.series(name) where value > former.value(name, labels) ?? 0 {
                troubles.insert("\(words): \(labels[label] ?? "")")
            }
        }
        if page.sum("fanfare_webhooks_failing") > 0 { troubles.insert("webhooks failing") }
        return troubles
    }

    /// Adds another gateway's sample. Values of all gateways together are not summed; the larger one counts.
    mutating func add(_ other: TopSample) {
        for path in TopSample.sums { self[keyPath: path] += other[keyPath: path] }
        for path in TopSample.shared { self[keyPath: path] = max(self[keyPath: path], other[keyPath: path]) }
        pushAnswers.add(other.pushAnswers)
        requestDurations.add(other.requestDurations)
        roundTrips.add(other.roundTrips)
        troubles.formUnion(other.troubles)
    }

    private static var sums: [WritableKeyPath<TopSample, Double>] {
        [
            \.accepted, \.refused, \.requests, \.clientErrors, \.serverErrors, \.commands, \.webhookAttempts,
            \.processor,
            \.inFlight, \.waiting, \.connections, \.jobsRunning, \.jobsWaiting, \.clients, \.memory, \.descriptors,
        ]
    }

    private static var shared: [WritableKeyPath<TopSample, Double>] {
        [\.unfinished, \.lag, \.redisMemory, \.redisMemoryLimit]
    }
}
