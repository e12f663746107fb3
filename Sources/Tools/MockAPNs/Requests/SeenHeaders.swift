/// The header names that a request has had so far.
struct SeenHeaders {
    private var bits: UInt32 = 0

    /// Returns false if the name has been seen before.
    mutating func insert(_ name: HeaderName) -> Bool {
        let bit = UInt32(1) << UInt32(name.rawValue)
        defer { bits |= bit }
        return bits & bit == 0
    }
}
