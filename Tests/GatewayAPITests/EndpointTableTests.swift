import HTTPTypes
import LiveActivity
import NIOHTTP1
import Testing

@testable import GatewayAPI

@Suite("The table of endpoints")
struct EndpointTableTests {
    private static let id = "6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0001"

    private static func query(_ path: String) -> Endpoint { Endpoint(.get, path, .query { _ in .success() }) }

    private static func action(_ path: String) -> Endpoint { Endpoint(.post, path, .action { _ in .success() }) }

    private let table = EndpointTable([
        query("/a/{thing_id}"), query("/a/{thing_id}/parts"), query("/a/{thing_id}/{name}"), query("/a/all"),
        action("/a/all"), action("/a/make"), query("/a"), query("/a/all/{thing_id}"),
        Endpoint(.post, "/report", .report { body, _ in try .sync(body) }),
        Endpoint(.put, "/list/{name}", .upload { _ in .success() }),
    ])

    private func path(_ method: HTTPRequest.Method, _ path: String) -> String? {
        table.match(method, path)?.endpoint.path
    }

    @Test("A path belongs to the template with names where others have parameters, from left to right")
    func precedence() {
        #expect(path(.get, "/a/all") == "/a/all")
        #expect(path(.get, "/a/\(Self.id)") == "/a/{thing_id}")
        #expect(path(.get, "/a/x/parts") == "/a/{thing_id}/parts")
        #expect(path(.get, "/a/x/y") == "/a/{thing_id}/{name}")
        #expect(path(.get, "/a/all/parts") == "/a/all/{thing_id}")
        // Also for a method that it does not have.
        #expect(path(.get, "/a/make") == nil)
        for other in ["", "/", "/b", "/a/x/y/z", "/A"] { #expect(path(.get, other) == nil, "\(other)") }
    }

    @Test("The order of the rows says nothing about which of them a path belongs to")
    func order() {
        let turned = EndpointTable(table.endpoints.reversed())
        for path in ["/a", "/a/all", "/a/x", "/a/x/parts", "/a/x/y", "/a/all/x", "/a/make"] {
            let expected = table.match(.get, path)?.endpoint.path
            #expect(turned.match(.get, path)?.endpoint.path == expected, "\(path)")
        }
    }

    @Test("Doubled slashes count as one unless the path has parameters, and HEAD counts as GET")
    func spelling() {
        #expect(path(.get, "//a///all/") == "/a/all")
        #expect(path(.get, "//a/x/") == "/a/{thing_id}")
        for empty in ["/a//x", "/a//parts", "/a/x//y"] {
            #expect(path(.get, empty) == nil && table.methods(at: empty) == nil && table.all(at: empty).isEmpty)
        }
        #expect(path(.head, "/a/all") == "/a/all")
        #expect(path(.head, "/a/make") == nil)
    }

    @Test("Parameters come as they stand in the path")
    func parameters() {
        #expect(table.match(.get, "/a/x%20y/%zz")?.parameters == ["thing_id": "x%20y", "name": "%zz"])
        #expect(table.match(.get, "/a")?.parameters == [:])
    }

    @Test("A path has the methods of its rows, and none where a word stands for an id")
    func methods() {
        #expect(table.methods(at: "/a/all") == ["GET", "HEAD", "POST"])
        #expect(table.methods(at: "/a/make") == ["POST"])
        #expect(table.methods(at: "/a/\(Self.id)") == ["GET", "HEAD"])
        #expect(table.methods(at: "/list/word") == ["PUT"])
        #expect(table.methods(at: "/a/word") == nil)
        #expect(table.methods(at: "/b") == nil)
    }

    @Test("A report is known by its place, however its path is spelled; everything else is the router's")
    func reports() {
        for uri in ["/report", "/report?a=b", "//report/", "http://x/report"] {
            #expect(table.report(.POST, uri) == 0, "\(uri)")
        }
        for uri in ["/reports", "/a/all", "", "/report/x", "/%72eport"] {
            #expect(table.report(.POST, uri) == nil, "\(uri)")
        }
        #expect(table.report(.GET, "/report") == nil && table.report(.PUT, "/report") == nil)
    }

    @Test("Only a request whose endpoint takes an upload may take any time")
    func uploads() {
        #expect(table.isUpload(.PUT, "/list/x?y"))
        #expect(!table.isUpload(.GET, "/list/x") && !table.isUpload(.POST, "/list/x"))
        #expect(!table.isUpload(.POST, "/report") && !table.isUpload(.PUT, "/report"))
        #expect(!table.isUpload(.POST, "/a/all") && !table.isUpload(.PUT, "/other"))
    }

    @Test("Uses of an Idempotency-Key are told apart as they always were")
    func scope() {
        #expect(Self.action("/api/v1/live-activity/start").idempotencyScope == "/start")
        #expect(Self.action("/api/v1/topics").idempotencyScope == "/api/v1/topics")
    }
}
