import Testing

/// The reaction of a client to a frame that breaks a rule.
enum Reaction: Equatable, Sendable {
    case nothing
    case goAway(UInt32)
    case reset(UInt32, stream: UInt32)
    /// The session ends without a frame.
    case fatal
}

/// Hand-made frames and the reactions to them. Stream 1 of the connection is answered, and 3 is cancelled. Stream 5 is
/// open with its request complete, 7 has sent 100 of 70,000 bytes, and 9 is idle.
struct BrokenRule: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var ours: Reaction
    /// The reaction of libnghttp2 if it differs.
    var theirs: Reaction?
    /// True if the bytes are the first of the connection.
    var isFirst = false

    var testDescription: String { name }

    init(_ name: String, _ bytes: [UInt8], _ ours: Reaction, theirs: Reaction? = nil, isFirst: Bool = false) {
        self.name = name
        self.bytes = bytes
        self.ours = ours
        self.theirs = theirs
        self.isFirst = isFirst
    }

    static let kinds = [RequestKind(), RequestKind(body: [UInt8](repeating: 9, count: 70_000))]

    /// Returns the client's reaction to the bytes.
    func reaction(of client: any Client, piece: Int) -> Reaction {
        let server = OracleServer(settings: [(Setting.initialWindowSize, 100)], updatesWindows: false)
        let exchange = Exchange(client, server, .whole)
        if !isFirst {
            exchange.settle()
            for kind in [0, 0, 0, 1] { exchange.open(kind) }
            exchange.settle()
            exchange.feed(Wire.headers(1, 5, [0x20, 0x88]))
            client.cancel(tag: 1)
            exchange.settle()
        } else {
            _ = client.takeOutput(.max)
        }
        for start in stride(from: 0, to: bytes.count, by: piece) {
            client.receive(Array(bytes[start..<min(start + piece, bytes.count)]))
        }
        let output = client.takeOutput(.max)
        if client.violations.contains(where: { $0.hasPrefix("the oracle") }) { return .fatal }
        if let code = WireFrame.goAways(output).first { return .goAway(code) }
        if let reset = WireFrame.resets(output).first { return .reset(reset.code, stream: reset.stream) }
        return .nothing
    }
}

@Suite("Frames that break a rule")
struct BrokenRuleTests {
    static let all = BrokenRule.frames + BrokenRule.blocks + BrokenRule.answers

    @Test("are answered with the right error code", arguments: all)
    func ours(_ rule: BrokenRule) throws {
        for piece in [Int.max, 1, 10] where piece != 1 || rule.bytes.count < 4_000 {
            let client = try EngineClient(BrokenRule.kinds)
            #expect(rule.reaction(of: client, piece: piece) == rule.ours)
            #expect(client.violations == [])
        }
    }

    @Test("are answered by libnghttp2 in the same way, but where a difference is noted", arguments: all)
    func theirs(_ rule: BrokenRule) {
        #expect(rule.reaction(of: OracleClient(BrokenRule.kinds), piece: .max) == rule.theirs ?? rule.ours)
    }
}
