import LiveActivity

/// A name that is a UUID more often than not, such as a udid, in as few bytes as it takes: a UUID, in capitals or in
/// small letters throughout, is a mark and sixteen bytes; every other text stands as it is. The marks are bytes that
/// UTF-8 does not have, so the two cannot be mixed up.
enum PackedName {
    private static let capitals: UInt8 = 254
    private static let smallLetters: UInt8 = 255

    static func append(_ name: String, to bytes: inout [UInt8]) {
        guard let (mark, id) = pack(name) else {
            bytes += name.utf8
            return
        }
        bytes.append(mark)
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes.append(contentsOf: $0) }
    }

    static func decode(_ bytes: some Collection<UInt8>) -> String {
        guard let mark = bytes.first, mark >= capitals, let id = UniqueID(bytes: bytes.dropFirst()) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        return String(unsafeUninitializedCapacity: UniqueID.textLength) { text in
            id.write(to: UnsafeMutableRawBufferPointer(text), inCapitals: mark == capitals)
            return UniqueID.textLength
        }
    }

    /// A UUID whose letters are all spelled one way, and that way's mark; nil for any other text.
    private static func pack(_ name: String) -> (mark: UInt8, id: UniqueID)? {
        var spelling = UniqueID.Spelling.smallLetters
        guard name.utf8.count == UniqueID.textLength, let id = UniqueID(name, &spelling) else { return nil }
        switch spelling {
        case .capitals: return (capitals, id)
        case .smallLetters: return (smallLetters, id)
        // No mark could bring the spelling back.
        case .mixed: return nil
        }
    }
}
