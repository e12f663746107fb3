/// Which header names a request has had so far.
struct SeenHeaders {
    private var bits: UInt32 = 0

    /// False when the name has been seen before.
    mutating func insert(_ name: HeaderName) -> Bool {
        let bit = UInt32(1) << UInt32(name.rawValue)
        defer { bits |= bit }
        return bits & bit == 0
    }
}
