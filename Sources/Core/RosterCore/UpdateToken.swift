import Encodings

/// The content of an update token's cell: when it was reported, in milliseconds after the activity was made (four
/// bytes, little-endian, saturating), and the token.
public enum UpdateToken {
    public static let timeLength = 4

    /// The bytes of a cell.
    public static func cell(_ token: [UInt8], reportedAfter milliseconds: Int64) -> [UInt8] {
        var cell: [UInt8] = []
        cell.reserveCapacity(1 + timeLength + token.count)
        cell.append(UInt8(timeLength + token.count))
        cell.append(littleEndian: UInt32(clamping: milliseconds), bytes: timeLength)
        cell += token
        return cell
    }

    /// Where the token lies, for the range of a cell's content; nil when the content is too short for one.
    public static func token(in content: Range<Int>) -> Range<Int>? {
        content.count > timeLength ? (content.lowerBound + timeLength)..<content.upperBound : nil
    }
}
