import GatewayStore
import HTTPTypes
import LiveActivity
import NIOHTTP1

/// Parses a report's body and path parameters.
typealias ReportReader = @Sendable (JSONValue, [String: Substring]) throws -> DeviceReport.Content

/// An endpoint that every device calls at about the same time. `ReportHandler` answers it.
struct ReportEndpoint: Sendable {
    let method: HTTPMethod
    /// The path in the table, which nearly all devices use without escapes.
    let path: String
    let read: ReportReader

    /// Nil when the router answers the endpoint.
    init?(_ endpoint: Endpoint) {
        guard case .report(let read) = endpoint.handler else { return nil }
        method = HTTPMethod(rawValue: endpoint.method.rawValue)
        path = endpoint.path
        self.read = read
    }

    /// The route in metrics.
    var measured: RequestMetrics.Route { .init(method: method.rawValue, path: path) }
}
