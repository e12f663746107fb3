import FlatMemory
import MetricsCore
import NIOCore
import NIOHTTP1

/// What is counted of the reports of one event loop. Confined to it; others get a `snapshot`.
final class ReportMeasures {
    /// Counts by route and status, flat.
    private var counts = PlainBuffer<UInt64>()
    private var durations = ReportRoute.allCases.map { _ in LatencyRecorder() }

    private static let statuses = 100..<600

    init() {
        for _ in 0..<(ReportRoute.allCases.count * ReportMeasures.statuses.count) { counts.append(0) }
    }

    func answered(_ route: ReportRoute, status: Int, nanoseconds: UInt64) {
        guard ReportMeasures.statuses.contains(status) else { return }
        counts[route.rawValue * ReportMeasures.statuses.count + status - ReportMeasures.statuses.lowerBound] += 1
        durations[route.rawValue].record(nanoseconds: nanoseconds)
    }

    struct Snapshot: Sendable {
        var answers: [(route: ReportRoute, status: Int, count: UInt64)] = []
        var durations: [(route: ReportRoute, histogram: HistogramSnapshot)] = []
    }

    func snapshot() -> Snapshot {
        var snapshot = Snapshot()
        for route in ReportRoute.allCases {
            for status in ReportMeasures.statuses {
                let place = route.rawValue * ReportMeasures.statuses.count + status - ReportMeasures.statuses.lowerBound
                if counts[place] > 0 { snapshot.answers.append((route, status, counts[place])) }
            }
            let histogram = durations[route.rawValue].snapshot(droppingFirst: RequestMeasures.dropped)
            if histogram.count > 0 { snapshot.durations.append((route, histogram)) }
        }
        return snapshot
    }
}

extension ReportRoute {
    var measured: RequestMeasures.Route { .init(method: method.rawValue, path: path) }
}

extension DeviceReports {
    /// Adds what all event loops have counted so far.
    public func write(to page: inout MetricPage) async {
        var snapshots: [ReportMeasures.Snapshot] = []
        for desk in allDesks {
            if let snapshot = try? await desk.eventLoop.submit({ desk.measures.snapshot() }).get() {
                snapshots.append(snapshot)
            }
        }
        page.requests { family in
            for answer in snapshots.flatMap(\.answers) {
                family.add(answer.count, answer.route.measured.labels(answer.status))
            }
        }
        page.requestDurations { family in
            for (route, histogram) in snapshots.flatMap(\.durations) { family.add(histogram, route.measured.labels) }
        }
        page.requestsInProgress { $0.add(reportsUnderWay) }
    }
}
