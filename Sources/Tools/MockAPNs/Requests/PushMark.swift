/// The ledger mark of a push. The upper byte is the type and the lower byte the event, each as its position from 1 in
/// `allCases`; 0 means none. The highest bit marks a push to a channel.
struct PushMark {
    let number: UInt16

    init(_ number: UInt16) {
        self.number = number
    }

    init(_ type: MockPushType?, _ event: MockPushEvent?) {
        number = Self.place(type) << 8 | Self.place(event)
    }

    /// Creates the mark of a push to a channel, which is always a Live Activity push.
    init(publish event: MockPushEvent?) {
        number = Self.publish | PushMark(.liveActivity, event).number
    }

    private static let publish: UInt16 = 0x8000

    var isPublish: Bool { number & Self.publish != 0 }
    var type: MockPushType? { Self.value((number & ~Self.publish) >> 8) }
    var event: MockPushEvent? { Self.value(number & 255) }

    private static func place<Value: CaseIterable & Equatable>(_ value: Value?) -> UInt16 {
        guard let value else { return 0 }
        var place: UInt16 = 1
        for other in Value.allCases {
            if other == value { return place }
            place += 1
        }
        return 0
    }

    private static func value<Value: CaseIterable>(_ place: UInt16) -> Value? {
        place == 0 ? nil : Value.allCases.dropFirst(Int(place) - 1).first
    }
}
