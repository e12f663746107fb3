import Delivery
import FCMCore
import TestSupport
import Testing

@Suite("Bodies of FCM's answers") struct FCMErrorBodyTests {
    @Test("FCM's own word is found among the details wherever it stands, and the first one counts")
    func word() {
        let more = [
            #"{"reason": "X"}"#, "7", #"{"errorCode": 7}"#, #"{"errorCode": "UNREGISTERED"}"#, #"{"errorCode": "B"}"#,
        ]
        let body = FCMErrorBody(FCMBody.error("NOT_FOUND", details: more))
        #expect(body.status == "NOT_FOUND" && body.errorCode == "UNREGISTERED")
        #expect(!body.isAboutToken && !body.isDeviceQuota)
    }

    @Test(
        "What is no word of capitals is left out",
        arguments: ["", "lower", "A B", "A,B=1", "Ä", "A\\nB", String(repeating: "A", count: 65)])
    func noWord(_ text: String) {
        #expect(FCMErrorBody(FCMBody.error(text, code: text)) == FCMErrorBody())
    }

    @Test("A token is blamed by its field or by name, whatever else is wrong")
    func token() {
        let other = FCMBody.violation(field: "message.data[0].key")
        for details in [
            [other, FCMBody.violation(field: "message.token")],
            [FCMBody.violation(field: "message", "Invalid Registration Token")],
        ] {
            #expect(FCMErrorBody(FCMBody.error("INVALID_ARGUMENT", details: details)).isAboutToken)
        }
        #expect(!FCMErrorBody(FCMBody.error("INVALID_ARGUMENT", details: [other])).isAboutToken)
    }

    @Test("A member that stands twice is passed over")
    func twice() {
        let text = #"{"error":{"status":"NOT_FOUND","status":"ABORTED","details":[{"errorCode":"UNREGISTERED"}]}}"#
        let body = FCMErrorBody(Array(text.utf8))
        #expect(body.status == nil && body.errorCode == "UNREGISTERED")
    }

    /// Real bodies, cut off and with bytes changed, put in and taken out.
    @Test("No bytes bring it down, and none drop an address but FCM's own word for it")
    func noise() {
        var generator = TestSeed.generator(0xFC)
        let alphabet = Array(#"{}[]":,\ u0aE"#.utf8) + [0, 0xFF, 0xC3, 0xED]
        let bodies = FCMAnswerTests.documented.map(\.body)
        var read = 0
        for _ in 0..<10_000 {
            var body = bodies.randomElement(using: &generator) ?? []
            if Bool.random(using: &generator) { body.removeLast(Int.random(in: 0...body.count, using: &generator)) }
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !body.isEmpty {
                let index = Int.random(in: 0..<body.count, using: &generator)
                let byte = alphabet.randomElement(using: &generator) ?? 0
                switch UInt8.random(in: 0...2, using: &generator) {
                case 0: body[index] = byte
                case 1: body.insert(byte, at: index)
                default: body.remove(at: index)
                }
            }
            let parsed = FCMErrorBody(body)
            if parsed.status != nil { read += 1 }
            for status: UInt16 in [400, 403, 404, 429, 503] {
                let verdict = FCMAnswer(status: status, body: parsed).classification.verdict
                if verdict == .addressDead {
                    #expect(
                        parsed.errorCode == "UNREGISTERED" && status < 500, "\(String(decoding: body, as: UTF8.self))")
                }
                if verdict == .addressRefused {
                    let isNamed = parsed.errorCode == "SENDER_ID_MISMATCH" || parsed.isAboutToken
                    #expect(isNamed && status < 500, "\(String(decoding: body, as: UTF8.self))")
                }
            }
        }
        // The walk has seen both: bodies that can still be read, and bodies that cannot.
        #expect((500...9_500).contains(read))
    }
}
