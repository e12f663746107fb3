import GatewayStore
import HTTPTypes
import LiveActivity
import NIOHTTP1

/// Reads what a report's body, and its path's parameters, say.
typealias ReportReader = @Sendable (JSONValue, [String: Substring]) throws -> DeviceReport.Content

/// An endpoint that stands a storm: what every device reports at about the same time. It is answered by
/// `ReportHandler`.
struct ReportEndpoint: Sendable {
    let method: HTTPMethod
    /// As it is spelled in the table, and by nearly all devices.
    let path: String
    let read: ReportReader

    /// Nil when the router answers the endpoint.
    init?(_ endpoint: Endpoint) {
        guard case .report(let read) = endpoint.handler else { return nil }
        method = HTTPMethod(rawValue: endpoint.method.rawValue)
        path = endpoint.path
        self.read = read
    }

    /// As it is counted.
    var measured: RequestMetrics.Route { .init(method: method.rawValue, path: path) }
}
