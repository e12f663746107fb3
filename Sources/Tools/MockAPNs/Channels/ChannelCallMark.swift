/// The ledger mark of a request at the channels' port: its call, and a flag for calls that were carried out.
struct ChannelCallMark {
    let number: UInt16

    private static let sign: UInt16 = 0x4000
    private static let effect: UInt16 = 0x0100

    /// - Parameter call: Pass nil for a request that is not a known call.
    init(_ call: MockChannelCall?, isCarriedOut: Bool) {
        let place = call.flatMap { MockChannelCall.allCases.firstIndex(of: $0) }.map { UInt16($0) + 1 } ?? 0
        number = Self.sign | place << 9 | (isCarriedOut ? Self.effect : 0)
    }

    /// Returns nil if the number is not a mark of a channel call.
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
