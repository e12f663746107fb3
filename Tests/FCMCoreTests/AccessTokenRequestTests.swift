import FCMCore
import Foundation
import Testing
import TimeCore

@Suite("Asking for an access token") struct AccessTokenRequestTests {
    /// The two parts of a JWT in front of its signature, as another reader of Base64 and JSON sees them.
    private func parts(_ input: String) throws -> [[String: String]] {
        try input.split(separator: ".", omittingEmptySubsequences: false).map { part in
            var text = part.replacing("-", with: "+").replacing("_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            let object = try JSONSerialization.jsonObject(with: #require(Data(base64Encoded: String(text))))
            return try #require(object as? [String: Any]).mapValues { "\($0)" }
        }
    }

    @Test("The claims are those that Google asks for, for an hour")
    func claims() throws {
        let account = try ServiceAccount(file: ServiceAccountTests.file())
        let own = try parts(AccessTokenClaims(account, issuedAt: 1_700_000_000).signingInput)
        #expect(own.count == 2 && own[0] == ["alg": "RS256", "typ": "JWT", "kid": "0a1b2c"])
        #expect(
            own[1] == [
                "iss": "push@shop-1234.iam.gserviceaccount.com",
                "scope": "https://www.googleapis.com/auth/firebase.messaging",
                "aud": "https://oauth2.googleapis.com/token", "iat": "1700000000", "exp": "1700003600",
            ])
        let bare = try ServiceAccount(file: ServiceAccountTests.file(["private_key_id": nil]))
        let other = try parts(AccessTokenClaims(bare, audience: "https://mock:1/t", issuedAt: .max).signingInput)
        #expect(other[0]["kid"] == nil && other[1]["aud"] == "https://mock:1/t")
    }

    @Test("The request is a form with the grant and the signed claims")
    func body() throws {
        let claims = AccessTokenClaims(try ServiceAccount(file: ServiceAccountTests.file()), issuedAt: 5)
        let body = String(decoding: claims.requestBody(signature: [0xFB, 0xFF]), as: UTF8.self)
        let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        #expect(body == "\(grant)&assertion=\(claims.signingInput).-_8")
    }

    private func answer(_ status: UInt16, _ body: String) -> AccessTokenAnswer {
        AccessTokenAnswer(status: status, body: Array(body.utf8))
    }

    @Test("A token comes with its lifetime")
    func token() {
        let body = #"{"access_token":"ya29.c-_x","expires_in":3599,"token_type":"Bearer","scope":"x"}"#
        #expect(answer(200, body) == .token("ya29.c-_x", lifetime: .seconds(3_599)))
        #expect(answer(200, body.replacing("Bearer", with: "bearer")) == answer(200, body))
    }

    @Test(
        "What is no token of use is a failure",
        arguments: [
            "", "<html>", "{}", #"{"access_token":"a","expires_in":3599}"#,
            #"{"access_token":"a","token_type":"Bearer"}"#,
            #"{"access_token":"","expires_in":3599,"token_type":"Bearer"}"#,
            #"{"access_token":"a\r\nb: c","expires_in":3599,"token_type":"Bearer"}"#,
            #"{"access_token":"a b","expires_in":3599,"token_type":"Bearer"}"#,
            #"{"access_token":"a","expires_in":0,"token_type":"Bearer"}"#,
            #"{"access_token":"a","expires_in":"3599","token_type":"Bearer"}"#,
            #"{"access_token":"a","expires_in":3599,"token_type":"MAC"}"#,
            #"{"access_token":"a","access_token":"b","expires_in":3599,"token_type":"Bearer"}"#,
            #"{"access_token":"\#(String(repeating: "x", count: 4_097))","expires_in":9,"token_type":"Bearer"}"#,
        ])
    func noToken(_ body: String) {
        #expect(answer(200, body) == .failed("the answer has no token"))
    }

    @Test("An account that is not taken is told from an endpoint that is not well")
    func refusals() {
        let grant = #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#
        #expect(answer(400, grant) == .refused("status 400, invalid_grant, Invalid JWT Signature."))
        #expect(answer(401, "") == .refused("status 401") && answer(403, "<html>") == .refused("status 403"))
        #expect(answer(400, #"{"error":"invalid_request"}"#) == .failed("status 400, invalid_request"))
        #expect(
            answer(400, "") == .failed("status 400")
                && answer(503, grant) == .failed("status 503, invalid_grant, Invalid JWT Signature."))
        #expect(answer(429, "{") == .failed("status 429") && answer(302, "") == .failed("status 302"))
        let long = #"{"error":"a\n\u0007é\#(String(repeating: "b", count: 900))"}"#
        #expect(answer(500, long) == .failed("status 500, a" + String(repeating: "b", count: 199)))
    }
}
