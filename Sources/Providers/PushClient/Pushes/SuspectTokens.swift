/// Device tokens that the provider has rejected lately, as far as memory for 65,536 of them goes: a newer one may push
/// an older one out.
///
/// A token is known by eight of its bytes. Tokens are random, so two that look alike are not to be met; if they were, a
/// good one would take the connection of the others.
struct SuspectTokens {
    private static let places = 65_536
    private var marks: [UInt64] = []

    var isEmpty: Bool { marks.isEmpty }

    func contains(_ token: UnsafeRawBufferPointer) -> Bool {
        guard !marks.isEmpty else { return false }
        let mark = SuspectTokens.mark(token)
        return marks[SuspectTokens.place(mark)] == mark
    }

    mutating func insert(_ token: UnsafeRawBufferPointer) {
        if marks.isEmpty { marks = Array(repeating: 0, count: SuspectTokens.places) }
        let mark = SuspectTokens.mark(token)
        marks[SuspectTokens.place(mark)] = mark
    }

    /// The provider has accepted a push to it.
    mutating func remove(_ token: UnsafeRawBufferPointer) {
        guard contains(token) else { return }
        marks[SuspectTokens.place(SuspectTokens.mark(token))] = 0
    }

    /// The last eight bytes, or as many as there are; never 0, which marks a free place.
    private static func mark(_ token: UnsafeRawBufferPointer) -> UInt64 {
        let mark = token.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        return mark == 0 ? .max : mark
    }

    private static func place(_ mark: UInt64) -> Int {
        Int(truncatingIfNeeded: (mark &* 0x9E37_79B9_7F4A_7C15) >> 48)
    }
}
