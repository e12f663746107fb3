import LiveActivity

/// A page of cells of equal width, as Redis stores it: the width in one byte, then the cells. A cell is the length of
/// its content in one byte, then the content. A cell without content is a zero, then the reason (`SkipReason`, 0 for
/// none).
///
/// With one width for a page, each cell's place is a product. Tokens of an app hardly vary in length. A longer token
/// rewrites its page with a greater width.
public struct TokenPage: Sendable {
    /// The greatest length of a token, in bytes.
    public static let maximumTokenLength = 200

    /// The content of a cell.
    public enum Cell: Equatable, Sendable {
        /// The range of the content in the page's bytes.
        case content(Range<Int>)
        case none(SkipReason?)
    }

    /// The page as Redis stores it.
    public let bytes: [UInt8]
    /// The length of a cell, in bytes.
    public let width: Int

    /// Reads a page. An absent page has no cells.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        width = Int(bytes.first ?? 0)
    }

    /// Returns a cell. One beyond the page's end, or a damaged one, has no content.
    public func cell(_ index: Int) -> Cell {
        let start = 1 + index * width
        guard width > 1, start + width <= bytes.count else { return .none(nil) }
        let length = Int(bytes[start])
        guard length > 0 else { return .none(SkipReason(rawValue: bytes[start + 1])) }
        guard length < width else { return .none(nil) }
        return .content((start + 1)..<(start + 1 + length))
    }

    /// Returns the mark of a cell without content; 0 for none.
    public func mark(_ index: Int) -> UInt8 {
        let start = 1 + index * width
        guard width > 1, start + width <= bytes.count, bytes[start] == 0 else { return 0 }
        return bytes[start + 1]
    }

    /// Returns the bytes of a cell with a content of 1 to 254 bytes.
    public static func cell(content: some Collection<UInt8>) -> [UInt8] {
        [UInt8(content.count)] + content
    }

    /// Returns the bytes of a cell without content.
    public static func cell(reason: SkipReason?) -> [UInt8] {
        [0, reason?.rawValue ?? 0]
    }

    /// Replaces the reason if the provider called the token dead. For a push, the slot has no token.
    public static let deadTokenMark: UInt8 = 255

    /// The bytes of a cell whose token is dead.
    public static let cellOfDeadToken: [UInt8] = [0, deadTokenMark]

    /// Replaces the reason if the device shows its Live Activity and has no update token yet.
    public static let liveActivityShownMark: UInt8 = 254

    /// The bytes of a cell whose Live Activity has no token yet.
    public static let cellOfShownLiveActivity: [UInt8] = [0, liveActivityShownMark]

    /// Replaces the reason if the provider refused the token. In listings the device has not synced.
    public static let quarantinedTokenMark: UInt8 = 253

    /// The bytes of a cell whose token was refused.
    public static let cellOfQuarantinedToken: [UInt8] = [0, quarantinedTokenMark]

    /// Replaces the reason of a restarted slot that had lost its Live Activity, until its next report. A slot with the
    /// mark whose start failed still needs healing. In listings the device has not synced.
    public static let healingMark: UInt8 = 252

    /// Replaces the reason while a push-to-start token moves from one login of a phone to another one, both of which
    /// have a place. A start waits until one of the two cells has the token.
    public static let movingMark: UInt8 = 251

    /// The bytes of a cell whose token is moving.
    public static let cellOfMovingToken: [UInt8] = [0, movingMark]
}
