import LiveActivity

/// A compact form of names, most of which are UUIDs, for example udids. A UUID in only capitals or only small letters
/// is a mark and sixteen bytes. Any other text is stored unchanged. The marks are bytes that never occur in UTF-8.
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

    /// Returns a UUID and its mark; nil for any other text, and for letters of mixed case.
    private static func pack(_ name: String) -> (mark: UInt8, id: UniqueID)? {
        var spelling = UniqueID.Spelling.smallLetters
        guard name.utf8.count == UniqueID.textLength, let id = UniqueID(name, &spelling) else { return nil }
        switch spelling {
        case .capitals: return (capitals, id)
        case .smallLetters: return (smallLetters, id)
        // Because the mark cannot restore mixed case.
        case .mixed: return nil
        }
    }
}
