import HTTPTypes
import HummingbirdCore
import NIOHTTP1

/// All endpoints of a gateway. The router, the handler in front of it, the answer to an unknown method and the tests of
/// all endpoints read this table.
public struct EndpointTable: Sendable {
    /// One path with all its methods.
    private struct Resource {
        let template: PathTemplate
        let endpoints: [Endpoint]

        /// The methods in the form of the `Allow` field.
        var methods: [String] {
            let methods = endpoints.map(\.method)
            return (methods + (methods.contains(.get) ? [.head] : [])).map(\.rawValue).sorted()
        }
    }

    /// A request's endpoint, and the parameters of its path, still escaped.
    struct Match {
        let endpoint: Endpoint
        let parameters: [String: Substring]
    }

    /// Every row, in the table's order. No two have the same method and path.
    public let endpoints: [Endpoint]
    /// The endpoints that are answered ahead of the router. Their places in this list identify them.
    let reports: [ReportEndpoint]
    /// The first line of each report's HTTP/1.1 request, by its place; empty for a path with parameters.
    let reportLines: [[UInt8]]
    /// The paths, in the order in which they are compared with a request's path.
    private let resources: [Resource]

    init(_ endpoints: [Endpoint]) {
        self.endpoints = endpoints
        reports = endpoints.compactMap(ReportEndpoint.init)
        reportLines = reports.map { report in
            report.path.contains("{") ? [] : Array("\(report.method.rawValue) \(report.path) HTTP/1.1\r\n".utf8)
        }
        resources = Dictionary(grouping: endpoints) { PathTemplate($0.path) }
            .map { Resource(template: $0, endpoints: $1) }
            .sorted { $0.template.precedes($1.template) }
    }

    /// The endpoint of a request; nil for none.
    func match(_ method: HTTPRequest.Method, _ path: String) -> Match? {
        let method = method == .head ? .get : method
        guard let (resource, parameters) = resource(at: path),
            let endpoint = resource.endpoints.first(where: { $0.method == method })
        else { return nil }
        return Match(endpoint: endpoint, parameters: parameters)
    }

    /// The endpoints of a path, one for each of its methods.
    func all(at path: String) -> [Endpoint] { resource(at: path)?.resource.endpoints ?? [] }

    /// The methods of a path, in the form of the `Allow` field; nil for an unknown path. A path with a word in place of
    /// an id is unknown.
    func methods(at path: String) -> [String]? {
        resource(at: path) { $0.template.hasIDs(in: $1) }?.resource.methods
    }

    /// Doubled slashes count as one. Only in a path with parameters they are an empty name, which no path has.
    /// Otherwise the next part would be taken for the name.
    private func resource(
        at path: String, where isMeant: (Resource, [Substring]) -> Bool = { _, _ in true }
    ) -> (resource: Resource, parameters: [String: Substring])? {
        let parts = path.split(separator: "/")
        for resource in resources {
            guard let parameters = resource.template.parameters(in: parts), isMeant(resource, parts) else { continue }
            let hasEmptyName = !parameters.isEmpty && path.drop { $0 == "/" }.contains("//")
            return hasEmptyName ? nil : (resource, parameters)
        }
        return nil
    }

    // MARK: In front of the router

    /// The place in `reports` of a request's endpoint; nil if the router answers the request.
    func report(_ method: HTTPMethod, _ uri: String) -> Int? {
        if let place = spelledReport(method, uri) { return place }
        guard reports.contains(where: { $0.method == method }), let endpoint = match(method, uri) else { return nil }
        return reports.firstIndex { $0.method == method && $0.path == endpoint.path }
    }

    /// The parameters of a report's path. Most have none.
    func reportParameters(_ place: Int, _ uri: String) -> [String: Substring] {
        reports[place].path == uri
            ? [:] : PathTemplate(reports[place].path).parameters(in: URI(uri).path.split(separator: "/")) ?? [:]
    }

    /// True if the body of a request may take any time.
    func isUpload(_ method: HTTPMethod, _ uri: String) -> Bool {
        guard method != .GET, spelledReport(method, uri) == nil else { return false }
        return match(method, uri)?.body == .upload
    }

    /// The place of a report whose path is spelled as in the table, as nearly all are.
    private func spelledReport(_ method: HTTPMethod, _ uri: String) -> Int? {
        reports.firstIndex { $0.path == uri && $0.method == method }
    }

    private func match(_ method: HTTPMethod, _ uri: String) -> Endpoint? {
        guard let method = HTTPRequest.Method(method.rawValue) else { return nil }
        return match(method, URI(uri).path)?.endpoint
    }
}
