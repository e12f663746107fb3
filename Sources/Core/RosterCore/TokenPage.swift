import LiveActivity

/// A page of cells of equal width, as it lies in Redis: the width in one byte, then the cells. A cell is the length of
/// its content in one byte and the content; or a zero and, in place of the content, why the slot has none
/// (`SkipReason`, 0 for nothing known).
///
/// One width for a page makes every cell reachable by arithmetic; tokens vary in length from app to app, hardly within
/// one. A longer token makes the page be rewritten wider.
public struct TokenPage: Sendable {
    /// The longest token that is taken, in bytes.
    public static let maximumTokenLength = 200

    public enum Cell: Equatable, Sendable {
        /// Where the content lies in the page's bytes.
        case content(Range<Int>)
        case none(SkipReason?)
    }

    public let bytes: [UInt8]
    public let width: Int

    /// A page that is not there reads as one without cells.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        width = Int(bytes.first ?? 0)
    }

    /// A cell that the page does not reach, or that is damaged, holds nothing.
    public func cell(_ index: Int) -> Cell {
        let start = 1 + index * width
        guard width > 1, start + width <= bytes.count else { return .none(nil) }
        let length = Int(bytes[start])
        guard length > 0 else { return .none(SkipReason(rawValue: bytes[start + 1])) }
        guard length < width else { return .none(nil) }
        return .content((start + 1)..<(start + 1 + length))
    }

    /// The bytes of a cell with a content; `content` has 1 to 254 bytes.
    public static func cell(content: some Collection<UInt8>) -> [UInt8] {
        [UInt8(content.count)] + content
    }

    /// The bytes of a cell without content.
    public static func cell(reason: SkipReason?) -> [UInt8] {
        [0, reason?.rawValue ?? 0]
    }

    /// In place of the reason, for a slot whose token the provider called dead: who sends takes it for a slot that has
    /// reported none, who reads tells the two apart.
    public static let deadTokenMark: UInt8 = 255

    /// The bytes of a cell whose token is dead.
    public static let cellOfDeadToken: [UInt8] = [0, deadTokenMark]

    /// Likewise, for a slot whose device says that its Live Activity is there, and has no update token for it yet.
    public static let liveActivityShownMark: UInt8 = 254

    /// The bytes of a cell whose Live Activity is there without a token.
    public static let cellOfShownLiveActivity: [UInt8] = [0, liveActivityShownMark]

    /// Says in place of an update token that the provider refused it. To a reader the device has not synced.
    public static let quarantinedTokenMark: UInt8 = 253

    /// The bytes of a cell whose token was refused.
    public static let cellOfQuarantinedToken: [UInt8] = [0, quarantinedTokenMark]

    /// Likewise, for a slot that is started again because it has lost its Live Activity, until it reports anything: who
    /// finds one that such a start has not come to knows that it is still to be healed. To a reader the device has not
    /// synced.
    public static let healingMark: UInt8 = 252

    /// A page of the cells given, as wide as the longest needs.
    public static func encode(_ cells: [[UInt8]]) -> [UInt8] {
        let width = cells.reduce(2) { max($0, $1.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 + cells.count * width)
        bytes.append(UInt8(width))
        for cell in cells {
            bytes += cell
            bytes += repeatElement(0, count: width - cell.count)
        }
        return bytes
    }

    /// What is to stand in a cell.
    public enum Content {
        /// 1 to 254 bytes.
        case token(ArraySlice<UInt8>)
        case none(SkipReason?)
    }

    /// The same of so many cells, which are asked for twice each, with nothing made for a single one.
    public static func encode(count: Int, _ content: (Int) -> Content) -> [UInt8] {
        var width = 2
        for index in 0..<count {
            if case .token(let token) = content(index) { width = max(width, 1 + token.count) }
        }
        return [UInt8](unsafeUninitializedCapacity: 1 + count * width) { buffer, used in
            used = 1 + count * width
            buffer.initialize(repeating: 0)
            buffer[0] = UInt8(width)
            for index in 0..<count {
                let start = 1 + index * width
                switch content(index) {
                case .token(let token):
                    buffer[start] = UInt8(token.count)
                    _ = UnsafeMutableBufferPointer(rebasing: buffer[(start + 1)...]).update(fromContentsOf: token)
                case .none(let reason): buffer[start + 1] = reason?.rawValue ?? 0
                }
            }
        }
    }
}
