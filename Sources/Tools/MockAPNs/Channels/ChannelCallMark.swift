/// What a call about channels is counted by among the requests on the side: which one, and whether it was carried out.
struct ChannelCallMark {
    let number: UInt16

    private static let sign: UInt16 = 0x4000
    private static let effect: UInt16 = 0x0100

    /// - Parameter call: nil for a request that is none of them.
    init(_ call: MockChannelCall?, isCarriedOut: Bool) {
        let place = call.flatMap { MockChannelCall.allCases.firstIndex(of: $0) }.map { UInt16($0) + 1 } ?? 0
        number = Self.sign | place << 9 | (isCarriedOut ? Self.effect : 0)
    }

    /// Nil for the number of something else.
    init?(_ number: UInt16) {
        guard number & Self.sign != 0 else { return nil }
        self.number = number
    }

    var isCarriedOut: Bool { number & Self.effect != 0 }

    var call: MockChannelCall? {
        let place = Int((number & ~Self.sign) >> 9)
        return place == 0 ? nil : MockChannelCall.allCases.dropFirst(place - 1).first
    }
}
