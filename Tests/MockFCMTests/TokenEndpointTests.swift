import Glibc
import MockFCM
import TestHTTP2Client
import Testing

@Suite("The endpoint of access tokens")
struct TokenEndpointTests {
    @Test("A signed assertion gets a token that messages are taken with")
    func issue() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        #expect(stage.account.tokenURL == stage.mock.tokenURL)
        let answer = try #require(await client.send(stage.tokenRequest(stage.assertion())).response)
        #expect(answer.status == 200 && answer.text("token_type") == "Bearer")
        #expect(answer.body.contains(#""expires_in":3599"#))
        let token = try #require(answer.text("access_token"))
        #expect(await client.send(stage.message(token)).status == 200)
        #expect(stage.mock.counts().tokensIssued == 1 && stage.mock.counts().tokenRequests == 1)
    }

    @Test(
        "Assertions of Google's libraries and others are accepted",
        arguments: [
            ("aud", "\"https://oauth2.googleapis.com/token\""),
            (
                "scope",
                "\"https://www.googleapis.com/auth/devstorage.read_write https://www.googleapis.com/auth/cloud-platform\""
            ),
            ("iat", "1800000000.75"), ("exp", "1800003599.5"),
        ])
    func foreignClaims(name: String, value: String) async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        let answer = await client.send(stage.tokenRequest(try stage.assertion(claims: [name: value])))
        #expect(answer.status == 200, "\(answer)")
    }

    @Test(
        "What is wrong with an assertion is refused",
        arguments: [
            ("iss", "\"other@x.com\"", "invalid_grant"),
            ("aud", "\"https://oauth2.example.com/token\"", "invalid_grant"),
            ("scope", "\"https://www.googleapis.com/auth/drive\"", "invalid_scope"), ("scope", "\"\"", "invalid_scope"),
            ("iat", "1800000301", "invalid_grant"), ("exp", "1800000000", "invalid_grant"),
            ("exp", "1800003601", "invalid_grant"), ("exp", "\"1800003600\"", "invalid_grant"),
            ("iat", "1799996399", "invalid_grant"),
        ])
    func claims(name: String, value: String, error: String) async throws {
        try await expect(error, 400) { try $0.tokenRequest($0.assertion(claims: [name: value])) }
    }

    @Test(
        "So is what is wrong with its header",
        arguments: [
            #"{"alg":"HS256"}"#, #"{"alg":"RS256","kid":"0123"}"#, #"{"alg":"RS256","typ":"X"}"#, "{}", "[]", "x",
        ])
    func header(_ header: String) async throws {
        try await expect("invalid_grant", 400) { try $0.tokenRequest($0.assertion(header: header)) }
    }

    @Test("So is another account's signature")
    func signature() async throws {
        let other = try TestFCM()
        try await expect("invalid_grant", 400) { stage in
            let claims =
                #"{"iss":"\#(stage.account.clientEmail)","aud":"\#(stage.mock.tokenURL)","iat":1800000000,"exp":1800003600,"#
                + #""scope":"https://www.googleapis.com/auth/firebase.messaging"}"#
            let header = #"{"alg":"RS256","kid":"\#(stage.account.keyID)"}"#
            return stage.tokenRequest(try other.account.sign(header: header, claims: claims))
        }
    }

    @Test("So is what is no such request")
    func forms() async throws {
        try await expect("unsupported_grant_type", 400) { try $0.tokenRequest($0.assertion(), grantType: "password") }
        try await expect("invalid_request", 400) {
            try $0.tokenRequest($0.assertion()).with("content-type", "text/plain")
        }
        try await expect("invalid_request", 400) { try $0.tokenRequest($0.assertion()).with(body: "assertion=x") }
        try await expect("invalid_request", 400) { try $0.tokenRequest($0.assertion()).with(body: "grant_type=%zz") }
        try await expect("invalid_grant", 400) { $0.tokenRequest("a.b") }
    }

    @Test("A token is good for its lifetime, and not a moment longer; the script may make it shorter than it says")
    func lifetime() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        let token = try await stage.accessToken(client)
        stage.clock.advance(milliseconds: 3_598_999)
        #expect(await client.send(stage.message(token)).status == 200)
        stage.clock.advance(milliseconds: 1)
        let answer = await client.send(stage.message(token)).response
        #expect(answer?.status == 401 && answer?.text("status") == "UNAUTHENTICATED")
        #expect(answer?.text("reason") == "ACCESS_TOKEN_EXPIRED")
        try stage.script(#"{"access_tokens": {"lifetime_ms": 60000, "validity_ms": 1000}}"#)
        let short = try #require(await client.send(stage.tokenRequest(stage.assertion())).response)
        #expect(short.body.contains(#""expires_in":60,"#))
        let second = try #require(short.text("access_token"))
        #expect(await client.send(stage.message(second)).status == 200)
        stage.clock.advance(milliseconds: 1_000)
        #expect(await client.send(stage.message(second)).status == 401)
        #expect(stage.mock.messages().map(\.accessToken) == [1, nil, 2, nil])
    }

    @Test(
        "It refuses, fails, shows pages and keeps silent by script",
        arguments: [
            (#"{"error": "invalid_client"}"#, 401, "invalid_client"),
            (#"{"error": "internal_failure", "retry_after": 3}"#, 500, "internal_failure"),
            (#"{"error": "temporarily_unavailable"}"#, 503, "temporarily_unavailable"), (#"{"page": 502}"#, 502, nil),
        ])
    func rules(rule: String, status: Int, error: String?) async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        try stage.script(#"{"token_rules": [\#(rule.dropLast()), "limit": 1}]}"#)
        let answer = try #require(await client.send(stage.tokenRequest(stage.assertion())).response)
        #expect(answer.status == status && answer.text("error") == error)
        #expect(answer.headers["retry-after"] == (status == 500 ? "3" : nil))
        #expect(answer.body.contains("<!DOCTYPE html>") == (error == nil))
        // Used up.
        _ = try await stage.accessToken(client)
    }

    @Test("It keeps silent and hangs up by script")
    func silence() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        try stage.script(#"{"token_rules": [{"action": "silence", "limit": 1}, {"action": "close_abruptly"}]}"#)
        async let silent = client.send(stage.tokenRequest(stage.assertion()))
        #expect(await stage.mock.waitFor(timeout: deadline) { $0.tokenRequests == 1 })
        #expect(try await client.send(stage.tokenRequest(stage.assertion())) == .connectionEnded)
        #expect(try await silent == .connectionEnded)
    }

    private func expect(
        _ error: String, _ status: Int, _ request: (TestFCM) throws -> TestRequest
    ) async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        let answer = try #require(await client.send(request(stage)).response)
        #expect(answer.status == status && answer.text("error") == error, "\(answer)")
        #expect(stage.mock.counts().tokenErrors.map(\.key.rawValue) == [error])
    }
}
