/// Collects the first record of a CSV byte by byte, because its separator is recognised from the whole of it. Passes
/// over blank lines, and over the line `sep=;` by which spreadsheets declare a separator.
public struct CSVFirstRecord: Sendable {
    /// The bytes of the record so far, with its line feed at the end.
    public private(set) var bytes: [UInt8] = []
    /// The separators that the record may have.
    public private(set) var separators: [UInt8]
    private var isInQuotes = false

    private static let declaration = Array("sep=".utf8)

    /// - Parameter separators: see `CSVHeader`.
    public init(separators: [UInt8] = CSVHeader.separators) {
        self.separators = separators
    }

    /// Takes the next byte of the text.
    /// - Returns: true if the record is complete.
    public mutating func take(_ byte: UInt8) -> Bool {
        if byte == UInt8(ascii: "\"") { isInQuotes.toggle() }
        bytes.append(byte)
        guard byte == UInt8(ascii: "\n"), !isInQuotes else { return false }
        let line = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A || $0 == 0x20 || $0 == 0x09 }) {
            bytes.removeAll(keepingCapacity: true)
            return false
        }
        let content = line.prefix { $0 != 0x0D && $0 != 0x0A }
        if content.count == CSVFirstRecord.declaration.count + 1, content.starts(with: CSVFirstRecord.declaration),
            let declared = content.last, CSVHeader.separators.contains(declared)
        {
            separators = [declared]
            bytes.removeAll(keepingCapacity: true)
            return false
        }
        return true
    }
}
