public import MetricsCore
import Reactor
import Synchronization

/// The counters of requests that the router answers. From any thread.
public final class RequestMetrics: Sendable {
    /// A route with its parameters in braces, so that the number of routes is limited.
    struct Route: Hashable, Sendable {
        let method: String
        let path: String
    }

    private struct Counts {
        var requests: [Route: [Int: UInt64]] = [:]
        var durations: [Route: LatencyRecorder] = [:]
    }

    private let counts = Locked(Counts())
    private let underWay = Atomic(0)

    public init() {}

    func began() {
        underWay.add(1, ordering: .relaxed)
    }

    func ended(_ route: Route, status: Int, nanoseconds: UInt64) {
        underWay.subtract(1, ordering: .relaxed)
        counts.withLock { counts in
            counts.requests[route, default: [:]][status, default: 0] += 1
            if let recorder = counts.durations[route] { return recorder.record(nanoseconds: nanoseconds) }
            let recorder = LatencyRecorder()
            recorder.record(nanoseconds: nanoseconds)
            counts.durations[route] = recorder
        }
    }

    /// Adds the counters to a page.
    public func write(to page: inout MetricPage) {
        let (requests, durations) = counts.withLock { counts in
            (counts.requests, counts.durations.mapValues { $0.snapshot(droppingFirst: RequestMetrics.dropped) })
        }
        page.requests { family in
            for (route, codes) in requests {
                for (code, count) in codes { family.add(count, route.labels(code)) }
            }
        }
        page.requestDurations { family in
            for (route, histogram) in durations { family.add(histogram, route.labels) }
        }
        page.requestsInProgress { $0.add(max(0, underWay.load(ordering: .relaxed))) }
    }

    /// The number of the lowest buckets that are dropped, which are below a millisecond.
    static let dropped = 4
}

extension RequestMetrics.Route {
    var labels: MetricFamily.Labels { ["route": path, "method": method] }

    func labels(_ code: Int) -> MetricFamily.Labels { ["route": path, "method": method, "code": "\(code)"] }
}

// The metric families to which both the router and the reports add.
extension MetricPage {
    mutating func requests(_ body: (inout MetricFamily) -> Void) {
        counter("fanfare_http_requests_total", "Answered HTTP requests.", body)
    }

    mutating func requestDurations(_ body: (inout MetricFamily) -> Void) {
        histogram(
            "fanfare_http_request_duration_seconds",
            "Time from a request's head to its answer; for an event stream, to its beginning.", body)
    }

    mutating func requestsInProgress(_ body: (inout MetricFamily) -> Void) {
        gauge("fanfare_http_requests_in_progress", "Requests without an answer yet.", body)
    }
}
