import Encodings

/// The content of an update token's cell: the time of its report, then the token. The time is in milliseconds since the
/// activity was created (four bytes, little-endian, saturating).
public enum UpdateToken {
    /// The length of the time, in bytes.
    public static let timeLength = 4

    /// Returns the bytes of a cell.
    public static func cell(_ token: [UInt8], reportedAfter milliseconds: Int64) -> [UInt8] {
        var cell: [UInt8] = []
        cell.reserveCapacity(1 + timeLength + token.count)
        cell.append(UInt8(timeLength + token.count))
        cell.append(littleEndian: UInt32(clamping: milliseconds), bytes: timeLength)
        cell += token
        return cell
    }

    /// Returns the range of the token in the range of a cell's content; nil if the content is too short.
    public static func token(in content: Range<Int>) -> Range<Int>? {
        content.count > timeLength ? (content.lowerBound + timeLength)..<content.upperBound : nil
    }
}
