import APNsCore
import Delivery
import LiveActivity
import TestSupport
import Testing

@Suite("Pushes") struct PushTests {
    private func template(_ destination: PushDestination, bytes: Int) throws -> PushTemplate {
        try PushTemplate(
            destination: destination, event: .update,
            headers: PushHeaders(topic: "a.b", priority: .considerate, expiration: 0),
            identifier: PushIdentifier(broadcast: UniqueID(high: 0xF0F1_F2F3_F4F5_F6F7, low: 0xF8F9_FAFB_FCFD_FEFF)),
            body: [UInt8](repeating: 1, count: bytes))
    }

    @Test("The identifier is the broadcast's first twelve bytes and the slot, as lower-case UUID text")
    func identifier() throws {
        let identifier = PushIdentifier(broadcast: UniqueID(high: 0xF0F1_F2F3_F4F5_F6F7, low: 0xF8F9_FAFB_FCFD_FEFF))
        #expect(identifier.text(slot: 0xDEADBEEF) == "f0f1f2f3-f4f5-f6f7-f8f9-fafbdeadbeef")
        #expect(identifier.text(slot: 1) == "f0f1f2f3-f4f5-f6f7-f8f9-fafb00000001")
        let template = try template(.updateToken, bytes: 1)
        withExtendedLifetime(template) {
            #expect(template.identifierPrefix.elementsEqual("f0f1f2f3-f4f5-f6f7-f8f9-fafb".utf8))
        }
    }

    @Test("A payload has the destination's limit", arguments: PushDestination.allCases)
    func payload(_ destination: PushDestination) throws {
        let limit = destination == .broadcastChannel ? 5_120 : 4_096
        #expect(try template(destination, bytes: limit).body.count == limit)
        #expect(throws: PushTemplate.Invalid.payload(bytes: limit + 1, limit: limit)) {
            try template(destination, bytes: limit + 1)
        }
        #expect(throws: PushTemplate.Invalid.payload(bytes: 0, limit: limit)) { try template(destination, bytes: 0) }
    }

    @Test(
        "A collapse identifier has 1 to 64 visible bytes",
        arguments: Escaped.each([
            ("", false), (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
            ("a b", false), ("a\r\nb", false), ("é", false),
        ]))
    func collapse(_ argument: Escaped<(String, Bool)>) {
        let (text, isValid) = argument.value
        let headers = try? PushHeaders(topic: "t", priority: .immediate, expiration: 0, collapseIdentifier: text)
        #expect((headers != nil) == isValid)
    }

    @Test("A topic cannot smuggle a line break", arguments: ["", "a\nb", "a b", "ä"])
    func topic(_ text: String) {
        #expect(throws: PushHeaders.Invalid.self) { try PushHeaders(topic: text, priority: .immediate, expiration: 0) }
    }

    @Test("Claims refuse identifiers that would break out of the JSON")
    func claims() throws {
        #expect(ProviderTokenClaims(keyIdentifier: #"A","x":"y"#, teamIdentifier: "T", issuedAt: 1) == nil)
        #expect(ProviderTokenClaims(keyIdentifier: "A", teamIdentifier: "", issuedAt: 1) == nil)
        let claims = try #require(ProviderTokenClaims(keyIdentifier: "K", teamIdentifier: "T", issuedAt: 5))
        #expect(claims.signingInput == "eyJhbGciOiJFUzI1NiIsImtpZCI6IksifQ.eyJpc3MiOiJUIiwiaWF0Ijo1fQ")
    }
}
