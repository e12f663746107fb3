import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import Testing

@testable import GatewayAPI

/// The router checks an endpoint's rules in the API's order, independent of the handler.
@Suite("The rules of the router")
struct RouterRulesTests {
    /// One endpoint of each kind for customers.
    private static let customers = [
        Endpoint(.get, "/query", .query { _ in .success { $0.field("by", "query") } }),
        Endpoint(.delete, "/action", .action { _ in .success { $0.field("by", "action") } }),
        Endpoint(
            .post, "/command", .command { _, _ in .success { $0.field("by", "command") } },
            KnownFields(body: ["a"])),
        Endpoint(.put, "/upload", .upload { _ in .success { $0.field("by", "upload") } }),
        Endpoint(.get, "/stream", .stream { _ in Reply.success { $0.field("by", "stream") }.response }),
    ]
    private static let device = Endpoint(
        .post, "/device", .device { request in .success { $0.field("by", request.key.insiderID) } })

    @Test("A customer's request: key, switch, tier, rate, state of the gateway, body, handler")
    func customers() async throws {
        for endpoint in Self.customers {
            let (serving, stopping) = (Caller([endpoint]), Caller([endpoint], isStopping: true))
            // The request breaks every rule at once.
            for (key, status) in [(nil, 401), ("none", 401), ("off", 403), ("low", 402), ("spent", 429)] {
                let answer = try await stopping.ask(endpoint.method, endpoint.path, "{", key: key)
                #expect(answer.status == status, "\(endpoint.path): \(answer.text)")
                #expect(answer.header("x-ratelimit-limit") == (status == 401 ? nil : "10"), "\(endpoint.path)")
                #expect(answer.header("retry-after") == (status == 429 ? "1" : nil), "\(endpoint.path)")
            }
            let stopped = try await stopping.ask(endpoint.method, endpoint.path, "{", key: "good")
            #expect(stopped.status == (endpoint.isChange ? 503 : 200), "\(endpoint.path)")
            let wrong = try await serving.ask(endpoint.method, endpoint.path, "{", key: "good")
            #expect(wrong.status == (endpoint.body == .json ? 400 : 200), "\(endpoint.path)")
            let right = try await serving.ask(endpoint.method, endpoint.path, #"{"a":1}"#, key: "good")
            #expect(right.status == 200 && right["by"]?.string == String(endpoint.path.dropFirst()))
            #expect(right.header("x-ratelimit-remaining") == "7" && right.header("x-ratelimit-reset") == "1001")
        }
    }

    @Test("A device's request: key, switch, state of the gateway, body, identity, handler; no rate")
    func devices() async throws {
        let path = Self.device.path
        let (serving, stopping) = (Caller([Self.device]), Caller([Self.device], isStopping: true))
        #expect(try await stopping.ask(.post, path, "{", key: "none").status == 401)
        let thanked = try await stopping.ask(.post, path, "{", key: "off")
        #expect(thanked.status == 202 && thanked.text == #"{"status":"success"}"#)
        #expect(try await stopping.ask(.post, path, "{", key: "strict").code == "SHUTTING_DOWN")
        #expect(try await serving.ask(.post, path, "{", key: "strict").code == "BAD_REQUEST")
        #expect(try await serving.ask(.post, path, #"{"a":1}"#, key: "strict").code == "VALIDATION_FAILED")
        let names = #"{"insider_id":"ann","udid":"u"}"#
        #expect(try await serving.ask(.post, path, names, key: "strict").status == 401)
        let answer = try await serving.ask(.post, path, names, key: "good")
        #expect(answer.status == 200 && answer["by"]?.string == "ann")
        #expect(answer.header("x-ratelimit-limit") == nil)
    }

    @Test("A key of one kind opens nothing of the other")
    func kinds() async throws {
        let caller = Caller(Self.customers + [Self.device], keys: KnownKeys(["api:a": .of(.growth)]))
        #expect(try await caller.ask(.get, "/query", key: "a").status == 200)
        #expect(try await caller.ask(.post, "/device", key: "a").status == 401)
        let other = Caller(Self.customers + [Self.device], keys: KnownKeys(["sdk:a": .of(.growth)]))
        #expect(try await other.ask(.get, "/query", key: "a").status == 401)
        #expect(try await other.ask(.post, "/device", #"{"insider_id":"a","udid":"b"}"#, key: "a").status == 200)
    }

    @Test(
        "A key may come as a bearer's, whatever the case of the word; a field of the gateway's own goes before",
        arguments: ["Bearer good", "bearer good", "BEARER  good"])
    func bearers(_ field: String) async throws {
        let caller = Caller(Self.customers + [Self.device])
        let names = #"{"insider_id":"ann","udid":"u"}"#
        for path in ["/query", "/device"] {
            let method: HTTPRequest.Method = path == "/query" ? .get : .post
            let body = method == .get ? nil : names
            let bearer = ["Authorization": field]
            let answer = try await caller.ask(method, path, body, headers: bearer)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.header("x-ratelimit-remaining") == (method == .get ? "7" : nil))
            #expect(try await caller.ask(method, path, body, key: "none", headers: bearer).status == 401)
            for other in ["good", "Basic good", "Bearer", "Bearer ", "Bearergood", "Bearer none", "\(field), \(field)"]
            {
                let refused = try await caller.ask(method, path, body, headers: ["Authorization": other])
                #expect(refused.status == 401 && refused.code == "UNAUTHORIZED", "\(other)")
            }
        }
        let spent = try await caller.ask(.get, "/query", headers: ["Authorization": "Bearer spent"])
        #expect(spent.status == 429)
    }

    @Test("Bodies are bounded by the row's kind: JSON by its size and form")
    func bodies() async throws {
        let caller = Caller(Self.customers, configure: { $0.maximumBodyBytes = 20 })
        let large = #"{"text":"twenty bytes and more"}"#
        let answer = try await caller.ask(.post, "/command", large, key: "good")
        #expect(answer.status == 413 && answer.code == "REQUEST_TOO_LARGE")
        #expect(try await caller.ask(.put, "/upload", large, key: "good").status == 200)
        for (body, code) in [("", "REQUEST_INVALID"), ("{}", "REQUEST_INVALID"), ("[1]", "BAD_REQUEST")] {
            #expect(try await caller.ask(.post, "/command", body, key: "good").code == code, "\(body)")
        }
        let text = ["Content-Type": "text/plain"]
        #expect(try await caller.ask(.post, "/command", #"{"a":1}"#, key: "good", headers: text).status == 400)
    }

    @Test("What no row answers is 404, and 405 with Allow where the path has other methods")
    func noEndpoint() async throws {
        let caller = Caller(Self.customers)
        let missing = try await caller.ask(.get, "/nothing", key: "none")
        #expect(missing.status == 404 && missing.code == "NOT_FOUND" && missing.header("allow") == nil)
        let other = try await caller.ask(.delete, "/query", key: "none")
        #expect(other.status == 405 && other.code == "METHOD_NOT_ALLOWED" && other.header("allow") == "GET, HEAD")
    }

    @Test("HEAD is answered as GET, without the body")
    func head() async throws {
        let caller = Caller(Self.customers)
        let get = try await caller.ask(.get, "/query", key: "good")
        let head = try await caller.ask(.head, "/query", key: "good")
        #expect(head.status == 200 && head.text.isEmpty && !get.text.isEmpty)
        #expect(head.header("content-length") == get.header("content-length"))
    }

    @Test("Every answer has the request's id: the client's when it is sane, else a new one")
    func requestID() async throws {
        let caller = Caller(Self.customers)
        for path in ["/query", "/nothing"] {
            let given = try await caller.ask(.get, path, key: "good", headers: ["X-Request-Id": "mine"])
            #expect(given.header("x-request-id") == "mine")
            let long = String(repeating: "x", count: 129)
            let made = try await caller.ask(.get, path, key: "good", headers: ["X-Request-Id": long])
            #expect(made.header("x-request-id").flatMap { UniqueID($0) } != nil)
        }
    }

    @Test("Failures are answered in the contract's form, and say nothing of what is inside")
    func failures() async throws {
        struct Secret: Error {}
        let caller = Caller([
            Endpoint(.get, "/store", .query { _ in throw StoreError.unavailable("gone") }),
            Endpoint(.get, "/refused", .query { _ in throw APIError(.notStarted, "not yet") }),
            Endpoint(.get, "/unknown", .query { _ in throw Secret() }),
            Endpoint(.get, "/open", .open { _ in throw StoreError.unavailable("gone") }),
        ])
        #expect(try await caller.ask(.get, "/store", key: "good").code == "STORE_UNAVAILABLE")
        #expect(try await caller.ask(.get, "/open").status == 503)
        #expect(try await caller.ask(.get, "/refused", key: "good").status == 409)
        let unknown = try await caller.ask(.get, "/unknown", key: "good")
        #expect(unknown.status == 500 && unknown.code == "INTERNAL_ERROR" && !unknown.text.contains("Secret"))
        var away = KnownKeys()
        away.error = .unavailable("gone")
        #expect(try await Caller(Self.customers, keys: away).ask(.get, "/query", key: "good").status == 503)
    }

    @Test("A handler is given the path's ids and names, as they were before they were escaped")
    func parameters() async throws {
        let caller = Caller([
            Endpoint(
                .get, "/{thing_id}/{name}",
                .query { request in
                    .success {
                        $0.field("id", request.id("thing_id")?.description)
                        $0.field("name", request.name("name"))
                        $0.field("query", request.query.get("q"))
                    }
                }, KnownFields(query: ["q"]))
        ])
        let id = "6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0001"
        let answer = try await caller.ask(.get, "/\(id)/a%2Fb%20c?q=1", key: "good")
        #expect(answer["id"]?.string == id && answer["name"]?.string == "a/b c" && answer["query"]?.string == "1")
        let wrong = try await caller.ask(.get, "/x/%zz", key: "good")
        #expect(wrong.status == 200 && wrong["id"] == nil && wrong["name"] == nil)
    }
}
