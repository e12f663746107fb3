/// Device tokens that the provider rejected recently, at most 65,536. A newer one may replace an older one.
///
/// Eight bytes represent a token. Tokens are random, so a collision is improbable; it would send a good token over the
/// connection for suspects.
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

    /// Removes a token after an accepted push.
    mutating func remove(_ token: UnsafeRawBufferPointer) {
        guard contains(token) else { return }
        marks[SuspectTokens.place(SuspectTokens.mark(token))] = 0
    }

    /// The last eight bytes, or fewer if the token is shorter. Never 0, which marks a free place.
    private static func mark(_ token: UnsafeRawBufferPointer) -> UInt64 {
        let mark = token.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        return mark == 0 ? .max : mark
    }

    private static func place(_ mark: UInt64) -> Int {
        Int(truncatingIfNeeded: (mark &* 0x9E37_79B9_7F4A_7C15) >> 48)
    }
}
