extension Payload {
    /// What a device makes of a payload: the slices of its content, each as it came.
    public struct Display: Equatable, Sendable {
        /// The content state, and the options that say how it is shown (`stale-date`, `relevance-score`,
        /// `dismissal-date`).
        public let state: [UInt8]
        /// The alert with its sound; empty without one.
        public let alert: [UInt8]
    }

    /// What devices make of a start or update; nil when it is no such payload. Two payloads whose displays are equal
    /// look the same on a device.
    public var display: Display? {
        guard let aps = try? JSONDocument(parsing: bytes(timestamp: 1_000_000_000)).root.member("aps"),
            let state = try? aps.member("content-state")
        else { return nil }
        func slice(_ name: String) -> ArraySlice<UInt8> { (try? aps.member(name))?.slice ?? [] }
        var parts = [state.slice] + Payload.presentation.map(slice)
        // Digests of what was sent before this member was among them stay good.
        if parts.last?.isEmpty == true { parts.removeLast() }
        // No JSON text holds a NUL.
        return Display(state: Array(parts.joined(separator: [0])), alert: Array(slice("alert")))
    }
}
