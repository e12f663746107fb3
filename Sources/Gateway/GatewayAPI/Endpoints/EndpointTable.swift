import HTTPTypes
import HummingbirdCore
import NIOHTTP1

/// All endpoints of a gateway. Whatever needs to know what there is asks here: the router, the handler in front of it,
/// the answer to a method that a path does not have, and the tests that hold all endpoints to something.
public struct EndpointTable: Sendable {
    /// One path with all its methods.
    private struct Resource {
        let template: PathTemplate
        let endpoints: [Endpoint]

        /// As `Allow` wants them.
        var methods: [String] {
            let methods = endpoints.map(\.method)
            return (methods + (methods.contains(.get) ? [.head] : [])).map(\.rawValue).sorted()
        }
    }

    /// A request's endpoint, and its path's parameters as they stand there.
    struct Match {
        let endpoint: Endpoint
        let parameters: [String: Substring]
    }

    /// Every row, in the table's order. No two have the same method and path.
    public let endpoints: [Endpoint]
    /// The endpoints that are answered ahead of the router. They are known by their place here.
    let reports: [ReportEndpoint]
    /// The first line of each report's request of HTTP/1.1, by its place; empty where the path has parameters.
    let reportLines: [[UInt8]]
    /// Those that a path is to be tried on first come first.
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

    /// Nil when there is no such endpoint.
    func match(_ method: HTTPRequest.Method, _ path: String) -> Match? {
        let parts = path.split(separator: "/")
        for resource in resources {
            guard let parameters = resource.template.parameters(in: parts) else { continue }
            let method = method == .head ? .get : method
            guard let endpoint = resource.endpoints.first(where: { $0.method == method }) else { return nil }
            return Match(endpoint: endpoint, parameters: parameters)
        }
        return nil
    }

    /// What a path has, for each of its methods.
    func all(at path: String) -> [Endpoint] {
        let parts = path.split(separator: "/")
        return resources.first { $0.template.parameters(in: parts) != nil }?.endpoints ?? []
    }

    /// The methods that a path has, as `Allow` wants them; nil when there is no such path.
    func methods(at path: String) -> [String]? {
        let parts = path.split(separator: "/")
        return resources.first { $0.template.parameters(in: parts) != nil && $0.template.hasIDs(in: parts) }?.methods
    }

    // MARK: In front of the router

    /// The place in `reports` of the endpoint that a request asks for; nil when it is the router's.
    func report(_ method: HTTPMethod, _ uri: String) -> Int? {
        if let place = spelledReport(method, uri) { return place }
        guard reports.contains(where: { $0.method == method }), let endpoint = match(method, uri) else { return nil }
        return reports.firstIndex { $0.method == method && $0.path == endpoint.path }
    }

    /// The parameters of a report's path; most have none.
    func reportParameters(_ place: Int, _ uri: String) -> [String: Substring] {
        reports[place].path == uri
            ? [:] : PathTemplate(reports[place].path).parameters(in: URI(uri).path.split(separator: "/")) ?? [:]
    }

    /// Whether a request brings a body that may take any time.
    func isUpload(_ method: HTTPMethod, _ uri: String) -> Bool {
        guard method != .GET, spelledReport(method, uri) == nil else { return false }
        return match(method, uri)?.body == .upload
    }

    /// Nearly all reports spell their path as it stands in the table.
    private func spelledReport(_ method: HTTPMethod, _ uri: String) -> Int? {
        reports.firstIndex { $0.path == uri && $0.method == method }
    }

    private func match(_ method: HTTPMethod, _ uri: String) -> Endpoint? {
        guard let method = HTTPRequest.Method(method.rawValue) else { return nil }
        return match(method, URI(uri).path)?.endpoint
    }
}
