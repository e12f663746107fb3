/// One request and its answer, from the first header to the end of the stream. Objects are used again for later
/// streams of the connection, so that a push allocates nothing.
final class RequestStream {
    var id: Int32 = 0
    /// The connection's streams are counted from 1.
    var ordinal = 0
    var isInUse = false
    /// Above the last stream id of the GOAWAY that is to come: not to be processed.
    var isHeld = false
    var isComplete = false

    // The request.
    var rejections = Rejections.ofNoHeaders
    private(set) var namesSeen: UInt16 = 0
    var isPost = false
    var route = Route.rejected(.badPath)
    /// Lower-case hexadecimal.
    var token: [UInt8] = []
    /// Whether it is a push to the token of 64 zeros, by which gateways try whether their credential is taken.
    var isNobodys: Bool { token.count == 64 && token.allSatisfy { $0 == UInt8(ascii: "0") } }
    var providerToken: ProviderTokenMemory.Entry?
    var pushType: MockPushType?
    var topic: PushTopic?
    var priority: PushPriority?
    var headers = HeaderBlock()
    /// At most one byte more than a payload may have is kept.
    var payload: [UInt8] = []

    // The answer.
    var outcome: PushDecision.Outcome?
    var answer: Answer?
    var answerIsSubmitted = false
    var bodyOffset = 0
    var recordIndex: Int?
    var hasValidProviderToken = false
    /// 36 bytes that stay in their place as long as the object lives, for nghttp2 to read.
    let identifier = UnsafeMutablePointer<UInt8>.allocate(capacity: RequestStream.identifierLength)
    var hasIdentifier = false
    static let identifierLength = 36

    deinit {
        identifier.deallocate()
    }

    func begin(id: Int32, ordinal: Int) {
        self.id = id
        self.ordinal = ordinal
        isInUse = true
        isHeld = false
        isComplete = false
        rejections = .ofNoHeaders
        namesSeen = 0
        isPost = false
        route = .rejected(.badPath)
        token.removeAll(keepingCapacity: true)
        providerToken = nil
        pushType = nil
        topic = nil
        priority = nil
        headers.removeAll()
        payload.removeAll(keepingCapacity: true)
        outcome = nil
        answer = nil
        answerIsSubmitted = false
        bodyOffset = 0
        recordIndex = nil
        hasValidProviderToken = false
        hasIdentifier = false
    }

    /// False when the name has been seen before.
    func markSeen(_ name: HeaderName) -> Bool {
        let bit = UInt16(1) << UInt16(name.rawValue)
        defer { namesSeen |= bit }
        return namesSeen & bit == 0
    }

    func append(payload chunk: UnsafeBufferPointer<UInt8>) {
        let room = PayloadChecks.maximumLength + 1 - payload.count
        guard room > 0 else { return }
        payload.append(contentsOf: chunk.prefix(room))
    }

    func setIdentifier(_ value: UnsafeBufferPointer<UInt8>) {
        guard value.count == Self.identifierLength, let base = value.baseAddress else { return }
        identifier.update(from: base, count: value.count)
        hasIdentifier = true
    }

    /// A random UUID (RFC 9562, version 4) for a request that names none.
    func makeIdentifier(_ random: inout some RandomNumberGenerator) {
        let digits: StaticString = "0123456789abcdef"
        var high = random.next() & ~0xF000 | 0x4000
        var low = random.next() & ~(3 << 62) | 2 << 62
        for index in 0..<Self.identifierLength {
            switch index {
            case 8, 13, 18, 23:
                identifier[index] = UInt8(ascii: "-")
            default:
                identifier[index] = digits.utf8Start[Int((index < 18 ? high : low) >> 60)]
                if index < 18 { high <<= 4 } else { low <<= 4 }
            }
        }
        hasIdentifier = true
    }
}
