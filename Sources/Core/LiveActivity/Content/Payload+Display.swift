extension Payload {
    /// The visible parts of a payload: unchanged slices of its content.
    public struct Display: Equatable, Sendable {
        /// The content state and the display options (`stale-date`, `relevance-score`, `dismissal-date`).
        public let state: [UInt8]
        /// The alert with its sound; empty without one.
        public let alert: [UInt8]
    }

    /// The display; nil for a payload without a content state. Payloads with equal displays look the same on a device.
    public var display: Display? {
        guard let aps = try? JSONDocument(parsing: bytes(timestamp: 1_000_000_000)).root.member("aps"),
            let state = try? aps.member("content-state")
        else { return nil }
        func slice(_ name: String) -> ArraySlice<UInt8> { (try? aps.member(name))?.slice ?? [] }
        var parts = [state.slice] + Payload.presentation.map(slice)
        // Omitting an absent last member keeps stored digests valid that did not include it.
        if parts.last?.isEmpty == true { parts.removeLast() }
        // No JSON text contains a NUL.
        return Display(state: Array(parts.joined(separator: [0])), alert: Array(slice("alert")))
    }
}
