import Glibc
import LiveActivity
import MockFCM
import MockKit
import Synchronization
import TestHTTP2Client
import Testing

/// A mock with a directory and a clock of its own, and an account that it believes.
final class TestFCM: Sendable {
    let mock: MockFCM
    let clock = TestClock()
    let account: TestAccount

    init(_ change: (inout MockFCM.Options) -> Void = { _ in }) throws {
        var template = Array("/tmp/fanfare-fcm-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        var options = MockFCM.Options(directory: path)
        let clock = clock
        options.clock = { clock.now }
        change(&options)
        mock = try MockFCM.start(options)
        account = try TestAccount(file: mock.serviceAccountFile)
    }

    deinit {
        mock.stop()
        let directory = mock.options.directory
        for name in [
            "ca.pem", "server.pem", "server-key.pem", "service-account.json", "service-account-key.pem", "fcm.env",
            "ledger.ndjson",
        ] { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }

    func connect() async throws -> TestClient {
        try await TestClient.connect(toPort: mock.port, caFile: mock.caFile)
    }

    func script(_ json: String) throws {
        try mock.setScript(json: Array(json.utf8))
    }

    // MARK: Access tokens

    var seconds: Int64 { clock.now / 1_000 }

    /// An assertion that passes all checks, but for what is given otherwise.
    func assertion(header: String? = nil, claims: [String: String] = [:]) throws -> String {
        var all = [
            "iss": "\"\(account.clientEmail)\"", "aud": "\"\(mock.tokenURL)\"",
            "scope": "\"https://www.googleapis.com/auth/firebase.messaging\"", "iat": "\(seconds)",
            "exp": "\(seconds + 3_600)",
        ]
        all.merge(claims) { $1 }
        let text = all.map { "\"\($0)\":\($1)" }.joined(separator: ",")
        return try account.sign(
            header: header ?? #"{"alg":"RS256","typ":"JWT","kid":"\#(account.keyID)"}"#, claims: "{\(text)}")
    }

    func tokenRequest(_ assertion: String, grantType: String? = nil) -> TestRequest {
        let grant = grantType ?? "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        return TestRequest(
            path: "/token", headers: [("content-type", "application/x-www-form-urlencoded")],
            body: Array("grant_type=\(grant)&assertion=\(assertion)".utf8))
    }

    /// A new access token.
    func accessToken(_ client: TestClient) async throws -> String {
        let answer = try #require(await client.send(tokenRequest(assertion())).response)
        return try #require(answer.text("access_token"), "\(answer)")
    }

    // MARK: Messages

    static let device = "devicedevicedevicedevice:APA91b-0123456789_"

    /// A message that passes all checks.
    func message(_ accessToken: String, to token: String = TestFCM.device, event: String = "update") -> TestRequest {
        request(accessToken, #"{"message":{"token":"\#(token)","data":{"live_activity_event":"\#(event)"}}}"#)
    }

    func request(_ accessToken: String, _ body: String) -> TestRequest {
        TestRequest(
            path: "/v1/projects/\(mock.options.projectID)/messages:send",
            headers: [("authorization", "Bearer \(accessToken)"), ("content-type", "application/json")],
            body: Array(body.utf8))
    }
}

/// A clock that stands still until it is moved, in milliseconds since 1970.
final class TestClock: Sendable {
    // The beginning of a minute.
    private let time = Mutex<Int64>(1_800_000_000_000)

    var now: Int64 { time.withLock { $0 } }

    func advance(milliseconds: Int64) {
        time.withLock { $0 += milliseconds }
    }
}

extension TestResult.Response {
    /// The value of the first member of this name that is a string, at any depth.
    func text(_ name: String) -> String? {
        guard let start = body.firstRange(of: "\"\(name)\":") else { return nil }
        let rest = body[start.upperBound...].drop { $0 == " " }
        guard rest.first == "\"" else { return nil }
        return String(rest.dropFirst().prefix { $0 != "\"" })
    }
}
