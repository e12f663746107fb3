/// The verdicts on the last few authorization headers, by their bytes: verifying a signature costs many times what
/// the rest of a push does.
struct ProviderTokenMemory {
    /// One header's verdict. The number tells two headers apart.
    struct Entry {
        let header: [UInt8]
        let verdict: ProviderTokenVerdict
        let number: Int
    }

    private let verifier: ProviderTokenVerifier
    private var entries: [Entry] = []
    private var nextNumber = 0
    private static let capacity = 32

    init(verifier: ProviderTokenVerifier) {
        self.verifier = verifier
    }

    mutating func entry(for header: UnsafeBufferPointer<UInt8>) -> Entry {
        if let index = entries.firstIndex(where: { $0.header.hasBytes(header) }) {
            if index > 0 { entries.swapAt(0, index) }
            return entries[0]
        }
        let bytes = Array(header)
        let entry = Entry(header: bytes, verdict: verifier.verdict(authorization: bytes), number: nextNumber)
        nextNumber += 1
        if entries.count == Self.capacity { entries.removeLast() }
        entries.insert(entry, at: 0)
        return entry
    }
}
