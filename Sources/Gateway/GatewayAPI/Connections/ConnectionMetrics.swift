public import MetricsCore
import Reactor

/// The counters of a listener's connections. From any thread.
public final class ConnectionMetrics: Sendable {
    /// The reason for which a connection ended.
    public enum Ending: Int, CaseIterable, Sendable {
        /// The client or the gateway closed it normally.
        case done
        /// A head or a body took too long.
        case deadline
        /// Evicted while idle, because a new connection needed the place.
        case madeWay
        /// The address was at its limit. The connection was idle and gave way to a new one, or new while none was idle.
        case addressLimit
        /// All other connections had a request in progress.
        case full
        /// A trusted proxy sent no header, or an invalid one.
        case proxyHeader

        var label: String {
            switch self {
            case .done: "done"
            case .deadline: "deadline"
            case .madeWay: "made_way"
            case .addressLimit: "address_limit"
            case .full: "full"
            case .proxyHeader: "proxy_header"
            }
        }
    }

    /// Requests that were refused because of their head.
    enum HeadFault: Int, CaseIterable {
        case malformed, targetTooLong, fieldsTooLarge

        var label: String {
            switch self {
            case .malformed: "400"
            case .targetTooLong: "414"
            case .fieldsTooLarge: "431"
            }
        }
    }

    private struct Counts {
        var began: UInt64 = 0
        var endings = [UInt64](repeating: 0, count: Ending.allCases.count)
        var faults = [UInt64](repeating: 0, count: HeadFault.allCases.count)
        var acceptFailures: UInt64 = 0
    }

    private let counts = Locked(Counts())

    /// Nothing is counted yet.
    public init() {}

    func connectionBegan() { counts.withLock { $0.began += 1 } }

    func connectionEnded(_ ending: Ending) { counts.withLock { $0.endings[ending.rawValue] += 1 } }

    func refused(_ fault: HeadFault) { counts.withLock { $0.faults[fault.rawValue] += 1 } }

    /// Counts a waiting connection for which the system had no descriptor.
    public func acceptFailed() { counts.withLock { $0.acceptFailures += 1 } }

    /// The number of open connections.
    public var open: Int { counts.withLock { Int($0.began) - Int($0.endings.reduce(0, +)) } }

    /// The number of connections that ended for this reason.
    public func ended(_ ending: Ending) -> UInt64 { counts.withLock { $0.endings[ending.rawValue] } }

    /// Adds the counters to a page.
    /// - Parameter maximum: The maximum number of open connections.
    public func write(to page: inout MetricPage, maximum: Int) {
        let counts = counts.withLock { $0 }
        page.gauge("fanfare_http_connections", "Open client connections.") { $0.add(open) }
        page.gauge("fanfare_http_connections_limit", "Maximum number of client connections.") {
            $0.add(maximum)
        }
        page.counter("fanfare_http_connections_total", "Accepted client connections.") {
            $0.add(counts.began)
        }
        page.counter("fanfare_http_connections_closed_total", "Ended connections by reason.") { family in
            for ending in Ending.allCases { family.add(counts.endings[ending.rawValue], ["reason": ending.label]) }
        }
        page.counter(
            "fanfare_http_accept_failures_total",
            "Times that the system had no descriptor or memory for a waiting connection."
        ) { $0.add(counts.acceptFailures) }
        page.counter(
            "fanfare_http_bad_heads_total", "Requests refused because of their head."
        ) { family in
            for fault in HeadFault.allCases { family.add(counts.faults[fault.rawValue], ["code": fault.label]) }
        }
    }
}
