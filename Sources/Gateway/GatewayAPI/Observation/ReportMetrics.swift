import FlatMemory
import MetricsCore
import NIOCore
import NIOHTTP1

/// The counters of reports of one event loop. Confined to it; other threads get a `snapshot`.
final class ReportMetrics {
    private let routes: [RequestMetrics.Route]
    /// Counts by route and status, flat.
    private var counts = PlainBuffer<UInt64>()
    private var durations: [LatencyRecorder]

    private static let statuses = 100..<600

    /// - Parameter routes: The routes of the table's reports, in its order.
    init(_ routes: [RequestMetrics.Route]) {
        self.routes = routes
        durations = routes.map { _ in LatencyRecorder() }
        for _ in 0..<(routes.count * ReportMetrics.statuses.count) { counts.append(0) }
    }

    /// - Parameter place: The place of the endpoint among the table's reports.
    func answered(_ place: Int, status: Int, nanoseconds: UInt64) {
        guard ReportMetrics.statuses.contains(status) else { return }
        counts[index(place, status)] += 1
        durations[place].record(nanoseconds: nanoseconds)
    }

    private func index(_ place: Int, _ status: Int) -> Int {
        place * ReportMetrics.statuses.count + status - ReportMetrics.statuses.lowerBound
    }

    struct Snapshot: Sendable {
        var answers: [(route: RequestMetrics.Route, status: Int, count: UInt64)] = []
        var durations: [(route: RequestMetrics.Route, histogram: HistogramSnapshot)] = []
    }

    func snapshot() -> Snapshot {
        var snapshot = Snapshot()
        for (place, route) in routes.enumerated() {
            for status in ReportMetrics.statuses where counts[index(place, status)] > 0 {
                snapshot.answers.append((route, status, counts[index(place, status)]))
            }
            let histogram = durations[place].snapshot(droppingFirst: RequestMetrics.dropped)
            if histogram.count > 0 { snapshot.durations.append((route, histogram)) }
        }
        return snapshot
    }
}

extension DeviceReports {
    /// Adds the counters of all event loops to a page.
    public func write(to page: inout MetricPage) async {
        var snapshots: [ReportMetrics.Snapshot] = []
        for service in allServices {
            if let snapshot = try? await service.eventLoop.submit({ service.metrics.snapshot() }).get() {
                snapshots.append(snapshot)
            }
        }
        page.requests { family in
            for answer in snapshots.flatMap(\.answers) {
                family.add(answer.count, answer.route.labels(answer.status))
            }
        }
        page.requestDurations { family in
            for (route, histogram) in snapshots.flatMap(\.durations) { family.add(histogram, route.labels) }
        }
        page.requestsInProgress { $0.add(reportsUnderWay) }
    }
}
