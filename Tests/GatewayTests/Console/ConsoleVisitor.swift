import Gateway
import GatewayStore
import LiveActivity
import Testing

/// A browser at a gateway's console, with its cookie and the page's token.
struct ConsoleVisitor {
    let stage: TestStage
    let port: Int
    var cookie = ""
    var token = ""

    /// Creates a visitor without a session.
    init(_ stage: TestStage, gateway: Int = 0) throws {
        self.stage = stage
        port = try #require(stage.gateways[gateway].consolePort)
    }

    /// Returns a visitor that is signed in with a key.
    static func signedIn(_ stage: TestStage, _ key: String, gateway: Int = 0) async throws -> ConsoleVisitor {
        var visitor = try ConsoleVisitor(stage, gateway: gateway)
        let answer = try await visitor.signIn(key)
        try #require(answer.status == 200, "\(answer.text)")
        return visitor
    }

    /// Signs in, and keeps the cookie and the token.
    mutating func signIn(_ key: String, headers: [String: String] = [:]) async throws -> TestStage.Answer {
        let answer = try await ask(
            "POST", "/console/session", #"{"key":"\#(key)"}"#, headers: headers)
        if let given = answer.headers["set-cookie"] { cookie = String(given.prefix { $0 != ";" }) }
        token = answer["token"]?.string ?? token
        return answer
    }

    /// Returns the same browser at another gateway. The cookie is renamed, because a shared address would have one
    /// port.
    func at(gateway: Int) throws -> ConsoleVisitor {
        var visitor = try ConsoleVisitor(stage, gateway: gateway)
        (visitor.cookie, visitor.token) = (cookie.replacing("_\(port)=", with: "_\(visitor.port)="), token)
        return visitor
    }

    func ask(
        _ method: String, _ path: String, _ body: String? = nil, type: String = "application/json",
        headers: [String: String] = [:]
    ) async throws -> TestStage.Answer {
        var own = ["Cookie": cookie]
        if !token.isEmpty { own["X-Console-Token"] = token }
        if body != nil { own["Content-Type"] = type }
        return try await stage.send(method, path, body, headers: own.merging(headers) { $1 }, port: port)
    }

    /// Calls the API of a tenant through the console.
    func api(
        _ method: String, _ tenant: String, _ path: String, _ body: String? = nil, type: String = "application/json",
        headers: [String: String] = [:]
    ) async throws -> TestStage.Answer {
        try await ask(method, "/console/tenants/\(tenant)/api/v1/\(path)", body, type: type, headers: headers)
    }
}

extension TestStage {
    /// Runs a stage whose gateways have a console.
    static func runWithConsole(
        gateways: Int = 1, configure: (inout GatewayOptions) -> Void = { _ in },
        _ body: (TestStage) async throws -> Void
    ) async throws {
        try await run(
            gateways: gateways,
            configure: {
                $0.console.port = 0
                configure(&$0)
            }, body)
    }

    /// Creates an operator and returns its key.
    func makeOperator(_ name: String) async throws -> String {
        try #require(try await setup.store.operators.create(name))
    }
}
