public import MetricsCore
import Reactor

/// What is counted of a listener's connections. From any thread.
public final class ConnectionMetrics: Sendable {
    /// Why a connection came to its end.
    public enum Ending: Int, CaseIterable, Sendable {
        /// Client or gateway had nothing more to say.
        case done
        /// A head or a body took too long.
        case deadline
        /// It rested when another one came and there was no other place.
        case madeWay
        /// Its address had as many as it may. It rested and made way for a new one, or it was new and none rested.
        case addressLimit
        /// All others had a request under way.
        case full
        /// A trusted proxy did not say, or not rightly, whom it was for.
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

    /// The system gave out no descriptor for a connection that waits.
    public func acceptFailed() { counts.withLock { $0.acceptFailures += 1 } }

    /// Connections that are open now.
    public var open: Int { counts.withLock { Int($0.began) - Int($0.endings.reduce(0, +)) } }

    /// How many came to such an end.
    public func ended(_ ending: Ending) -> UInt64 { counts.withLock { $0.endings[ending.rawValue] } }

    /// Adds what was counted so far.
    /// - Parameter maximum: what is allowed of connections at once.
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
