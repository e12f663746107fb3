import LiveActivity
import MockKit
import TimeCore

/// The FCM endpoint: accepts messages and exchanges signed assertions for access tokens. Confined to the reactor of its
/// server, except members documented for any thread.
final class FCMService: ScriptedService, @unchecked Sendable {
    let fieldNames = FieldName.all
    /// Google serves HTTP/1.1 at both endpoints.
    var speaksHTTP1: Bool { true }
    /// Data is limited to 4,096 bytes; the rest is for escapes and other members.
    var maximumBodyLength: Int { 32_768 }

    let options: MockFCM.Options
    private let ownPath: [UInt8]
    var tokenRequests: TokenRequestCheck
    var runner: FCMRunner
    var answers = AnswerWriter()
    var accessTokens: AccessTokens
    var memory = MessageMemory()
    var random: SplitMix64
    /// The registration token of the current message.
    var token: [UInt8] = []
    private let idPrefix: [UInt8]

    init(options: MockFCM.Options, key: PrivateKey) throws(MockError) {
        self.options = options
        let project = options.projectID
        ownPath = Array("/v1/projects/\(project)/messages:send".utf8)
        idPrefix = Array("{\n  \"name\": \"projects/\(project)/messages/".utf8)
        tokenRequests = TokenRequestCheck(key: key, keyID: try key.fingerprint(), clientEmail: options.clientEmail)
        let now = options.clock()
        runner = FCMRunner(script: MockFCM.Script(), seed: options.seed, now: now)
        accessTokens = AccessTokens(run: now)
        random = SplitMix64(state: options.seed ^ 0x6663_6D00)
    }

    func listens(onPort port: UInt16) {
        tokenRequests.audience = "https://localhost:\(port)/token"
    }

    func scriptSet(_ script: MockFCM.Script) {
        runner = FCMRunner(script: script, seed: options.seed, now: options.clock())
        answers.omitsBodies = script.omitsErrorBodies
    }

    func decide(_ request: MockRequest) -> MockDecision {
        request.assertOnReactor()
        let head = RequestHead(request, ownPath: ownPath)
        let now = options.clock()
        switch head.endpoint {
        case .token: return decideToken(request, isForm: head.isForm, now)
        case .messages: return decideMessage(request, isJSON: head.isJSON, now)
        case .messagesOf(let project): return decideForeign(request, project, now)
        case .nowhere: return MockDecision(.answer(answers.page(404, now: now)))
        }
    }

    func goAwayText(_ reason: String) -> [UInt8] { Array(reason.utf8) }

    /// Writes the body of the answer to an accepted message.
    /// - Parameter isValidation: True if the message was only validated and has no identifier.
    func writeName(to body: inout [UInt8], isValidation: Bool, _ now: Int64) {
        body += idPrefix
        if isValidation {
            body += "fake_message_id".utf8
        } else {
            // The format is opaque to clients; only uniqueness matters.
            body += "0:".utf8
            Self.append(UInt64(max(0, now)) * 1_000 + random.next() % 1_000, to: &body)
            body.append(UInt8(ascii: "%"))
            Self.appendHexadecimal(random.next(), to: &body)
        }
        body += "\"\n}\n".utf8
    }

    private static func append(_ number: UInt64, to body: inout [UInt8]) {
        let start = body.count
        var rest = number
        repeat {
            body.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        body[start...].reverse()
    }

    private static func appendHexadecimal(_ number: UInt64, to body: inout [UInt8]) {
        let digits: StaticString = "0123456789abcdef"
        for shift in stride(from: 60, through: 0, by: -4) { body.append(digits.utf8Start[Int(number >> shift & 15)]) }
    }

    // MARK: Any thread

    func ledgerLine(_ record: Ledger.Record) -> [UInt8] {
        LedgerFile.line(record, FieldName.all, bodyName: "body") {
            $0.field("token", String(decoding: MessageChecks.verdict(record.body).token, as: UTF8.self))
            $0.field("event", RequestMark.event(record.mark)?.rawValue)
            $0.field("access_token", record.note == 0 ? nil : Int(record.note))
        }
    }

    func countsText(_ counts: ServerCounts) -> [UInt8] { MockFCM.Counts(counts).json }
}
