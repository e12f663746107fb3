import Delivery
import FCMCore
import Testing

@Suite("Answers of FCM") struct FCMAnswerTests {
    /// A row: what came, and what becomes of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let status: UInt16
        let body: [UInt8]
        let name: String
        let classification: Classification
        /// Without a `Retry-After`.
        let wait: UInt32?

        init(
            _ status: UInt16, _ body: [UInt8], _ name: String, _ classification: Classification, wait: UInt32? = nil
        ) {
            (self.status, self.body, self.name) = (status, body, name)
            (self.classification, self.wait) = (classification, wait)
        }

        var testDescription: String { "\(status) \(name)" }
    }

    private static let dead = Classification(.addressDead, isAboutAddress: true)
    private static let aside = Classification(.addressRefused, isAboutAddress: true, isDoubtful: true)
    private static let foreign = Classification(
        .addressRefused, isAboutAddress: true, isDoubtful: true, mayBlameTopic: true)
    private static let refused = Classification(.requestRefused, isDoubtful: true)
    private static let busy = Classification(.later, trouble: .overloaded)
    private static let busyDevice = Classification(
        .later, isAboutAddress: true, trouble: .overloaded, isWeighty: false)
    private static let credential = Classification(.again, trouble: .credential)
    private static let leave = Classification(.again, trouble: .refused, isWeighty: false)
    private static let lightCredential = Classification(.again, trouble: .credential, isWeighty: false)

    /// Google's documentation, restated.
    static let documented: [Row] = [
        Row(404, FCMBody.error("NOT_FOUND", code: "UNREGISTERED"), "UNREGISTERED", dead),
        Row(404, FCMBody.error("NOT_FOUND"), "NOT_FOUND", refused),
        Row(403, FCMBody.error("PERMISSION_DENIED", code: "SENDER_ID_MISMATCH"), "SENDER_ID_MISMATCH", foreign),
        Row(403, FCMBody.error("PERMISSION_DENIED"), "PERMISSION_DENIED", credential),
        Row(
            400,
            FCMBody.error(
                "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", details: [FCMBody.violation(field: "message.token")]),
            "INVALID_REGISTRATION", aside),
        Row(
            400,
            FCMBody.error(
                "INVALID_ARGUMENT", code: "INVALID_ARGUMENT",
                message: "The registration token is not a valid FCM registration token"),
            "INVALID_REGISTRATION", aside),
        Row(
            400,
            FCMBody.error(
                "INVALID_ARGUMENT", details: [FCMBody.violation(field: "message.data[0].value")]),
            "INVALID_ARGUMENT", refused),
        Row(
            400,
            FCMBody.error(
                "INVALID_ARGUMENT", code: "INVALID_ARGUMENT",
                details: [FCMBody.violation(field: "message", "Recipient of the message is not set.")]),
            "INVALID_ARGUMENT", refused),
        Row(400, FCMBody.error("FAILED_PRECONDITION"), "FAILED_PRECONDITION", refused),
        Row(401, FCMBody.error("UNAUTHENTICATED"), "UNAUTHENTICATED", lightCredential),
        Row(
            401, FCMBody.error("UNAUTHENTICATED", code: "THIRD_PARTY_AUTH_ERROR"), "THIRD_PARTY_AUTH_ERROR", refused),
        Row(429, FCMBody.error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED"), "QUOTA_EXCEEDED", busy, wait: 60),
        Row(429, FCMBody.error("RESOURCE_EXHAUSTED"), "QUOTA_EXCEEDED", busy, wait: 60),
        Row(
            429,
            FCMBody.error(
                "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", details: [FCMBody.quota("Messages of the project")]),
            "QUOTA_EXCEEDED", busy, wait: 60),
        Row(
            429,
            FCMBody.error(
                "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", details: [FCMBody.quota("Device message rate exceeded")]),
            "QUOTA_EXCEEDED", busyDevice, wait: 60),
        Row(500, FCMBody.error("INTERNAL", code: "INTERNAL"), "INTERNAL", busy, wait: 10),
        Row(503, FCMBody.error("UNAVAILABLE", code: "UNAVAILABLE"), "UNAVAILABLE", busy, wait: 10),
        Row(504, FCMBody.error("DEADLINE_EXCEEDED"), "DEADLINE_EXCEEDED", busy, wait: 10),
        Row(400, FCMBody.error("INVALID_ARGUMENT", code: "UNSPECIFIED_ERROR"), "INVALID_ARGUMENT", refused),
        Row(404, FCMBody.error("NOT_FOUND", code: "BRAND_NEW"), "BRAND_NEW", refused),
    ]

    /// Statuses without a readable body.
    static let alone: [Row] = [
        Row(400, [], "INVALID_ARGUMENT", refused), Row(401, [], "UNAUTHENTICATED", lightCredential),
        Row(403, [], "PERMISSION_DENIED", lightCredential), Row(404, [], "NOT_FOUND", refused),
        Row(413, [], "", refused), Row(411, [], "", refused), Row(410, [], "", refused),
        Row(408, [], "", leave), Row(421, [], "", leave),
        Row(302, [], "", busy, wait: 10), Row(429, [], "QUOTA_EXCEEDED", busy, wait: 60),
        Row(500, [], "INTERNAL", busy, wait: 10), Row(501, [], "", busy, wait: 10),
        Row(502, [], "UNAVAILABLE", busy, wait: 10), Row(503, [], "UNAVAILABLE", busy, wait: 10),
        Row(504, [], "UNAVAILABLE", busy, wait: 10), Row(0, [], "", refused), Row(65_535, [], "", refused),
    ]

    private func answer(_ status: UInt16, _ body: [UInt8], retryAfter: UInt32? = nil) -> FCMAnswer {
        FCMAnswer(status: status, body: FCMErrorBody(body), retryAfter: retryAfter)
    }

    private func expect(_ row: Row, of body: [UInt8]) {
        let rejection = answer(row.status, body).rejection
        #expect(rejection.status == row.status && rejection.reason == row.name)
        #expect(rejection.classification == row.classification)
        #expect(rejection.retryAfter == row.wait && rejection.deadSince == nil)
    }

    @Test("Each documented answer has its reason and meaning", arguments: documented)
    func table(_ row: Row) {
        expect(row, of: row.body)
    }

    @Test("The status alone decides when nothing can be read", arguments: alone)
    func statusAlone(_ row: Row) {
        let half = FCMBody.error("NOT_FOUND", code: "UNREGISTERED").dropLast(20)
        let deep = Array(String(repeating: #"{"error":["#, count: 3_000).utf8)
        let junk = [UInt8](repeating: 0xFF, count: 32_768)
        for body in [[], FCMBody.html, Array(half), deep, junk, Array("null".utf8), Array(#"{"error":7}"#.utf8)] {
            expect(row, of: body)
        }
    }

    @Test("What FCM asks to wait counts, but an internal error takes ten seconds at least")
    func wait() {
        #expect(answer(429, [], retryAfter: 7).leastWait == 7)
        #expect(answer(503, [], retryAfter: 300).leastWait == 300)
        #expect(answer(500, [], retryAfter: 3).leastWait == 10)
        #expect(answer(500, [], retryAfter: 30).leastWait == 30)
        #expect(answer(404, [], retryAfter: 5).leastWait == 5)
    }

    @Test("A word with a status of another class counts for nothing")
    func wrongEnvironment() {
        let dead = FCMBody.error("NOT_FOUND", code: "UNREGISTERED")
        for status: UInt16 in [302, 500, 503] { #expect(answer(status, dead) == answer(status, [])) }
        let busy = FCMBody.error("UNAVAILABLE", code: "UNAVAILABLE")
        #expect(answer(404, busy) == answer(404, []))
    }

    @Test("Only a missing or expired access token asks for the next one, only a lost connection for another")
    func reactions() {
        for row in Self.documented + Self.alone {
            let answer = answer(row.status, row.body)
            #expect(answer.wantsNewAccessToken == (row.name == "UNAUTHENTICATED"), "\(row.testDescription)")
            #expect(answer.endsConnection == [408, 421].contains(row.status), "\(row.testDescription)")
        }
    }

    @Test("Each reason of the table has a name, a status and one sentence of its own")
    func sentences() {
        #expect(Set(FCMReason.known.map(\.name)).count == FCMReason.known.count)
        #expect(Set(FCMReason.known.map(\.explanation)).count == FCMReason.known.count)
        let seen = Set(Self.documented.map(\.name))
        for reason in FCMReason.known {
            #expect(seen.contains(reason.name), "no row has \(reason)")
            #expect(reason.documentedStatus != nil && reason.explanation.hasSuffix("."))
        }
    }
}
