import Glibc
import MockAPNs
import TestHTTP2Client
import Testing
import TimeCore

@Suite("What the mock checks of a provider token")
struct ProviderTokenTests {
    @Test("A token that is not ours is invalid")
    func invalid() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let good = try mock.token()
        let stranger = try TestSigner()
        let now = time(nil)
        let header = #"{"alg":"ES256","kid":"\#(mock.mock.keyID)"}"#
        let claims = #"{"iss":"\#(mock.mock.teamID)","iat":\#(now)}"#
        let authorizations = [
            "basic \(good)", good, "bearer", "bearer \(good).x", "bearer \(good.dropLast(2))",
            "bearer " + String(repeating: "a", count: 5_000), "bearer ..",
            "bearer " + good.split(separator: ".").dropLast().joined(separator: "."),
            "bearer \(try stranger.token(header: header, claims: claims))",
            "bearer \(try mock.token(header: #"{"alg":"none","kid":"\#(mock.mock.keyID)"}"#))",
            "bearer \(try mock.token(header: #"{"alg":"ES256","kid":"OTHERKEY00"}"#))",
            "bearer \(try mock.token(header: #"{"alg":"ES256"}"#))",
            "bearer \(try mock.token(claims: #"{"iss":"OTHERTEAM0","iat":\#(now)}"#))",
            "bearer \(try mock.token(claims: #"{"iss":"\#(mock.mock.teamID)"}"#))",
            "bearer \(try mock.token(claims: #"{"iss":"\#(mock.mock.teamID)","iat":"\#(now)"}"#))",
            "bearer \(try mock.token(claims: "no JSON"))",
        ]
        for authorization in authorizations {
            let result = await client.send(try mock.push().with("authorization", authorization))
            #expect(result.status == 403, "\(authorization)")
            #expect(result.reason == "InvalidProviderToken", "\(authorization)")
        }
        // Some libraries write the time with a fraction.
        for issuedAt in ["\(now)", "\(now).5"] {
            let right = try mock.token(
                header: header, claims: #"{"iss":"\#(mock.mock.teamID)","iat":\#(issuedAt)}"#)
            #expect(await client.send(try mock.push().with("authorization", "Bearer \(right)")).status == 200)
        }
    }

    @Test("A token counts for an hour, and not before it was issued")
    func expired() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        for (age, reason) in [
            (3_500, nil), (3_700, "ExpiredProviderToken"), (-200, nil), (-400, "ExpiredProviderToken"),
        ] as [(Int, String?)] {
            let result = await client.send(
                try mock.push().with("authorization", "bearer \(try mock.token(age: age))"))
            #expect(result.reason == reason, "age \(age)")
            #expect(result.status == (reason == nil ? 200 : 403), "age \(age)")
        }
        var script = MockScript()
        script.providerTokens.lifetime = .seconds(60)
        mock.mock.setScript(script)
        let result = await client.send(try mock.push().with("authorization", "bearer \(try mock.token(age: 100))"))
        #expect(result.reason == "ExpiredProviderToken")
    }

    @Test("A token renewed too soon on a connection is refused; the old one and other connections go on")
    func renewedTooSoon() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.providerTokens.renewalInterval = .seconds(1_200)
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        let other = try await TestClient.connect(to: mock)
        defer {
            client.stop()
            other.stop()
        }
        let first = try mock.push().with("authorization", "bearer \(try mock.token(age: 10))")
        let second = try mock.push().with("authorization", "bearer \(try mock.token(age: 5))")
        let results = await client.send([first, second, first])
        #expect(results.map(\.status) == [200, 429, 200])
        #expect(results[1].reason == "TooManyProviderTokenUpdates")
        #expect(await other.send(second).status == 200)
    }
}
