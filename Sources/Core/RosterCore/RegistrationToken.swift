/// How the registration token of an Android device stands in the cells of token pages, and in messages.
///
/// Nearly all have some 160 letters, digits, `-`, `_` and `:`, and stand in their cell as they are, since they need no
/// escapes in JSON either. In place of one that is too long for a cell, or needs escapes, stands `mark`; the token
/// itself is then read from the user's hash, which always has the newest.
public enum RegistrationToken {
    /// The longest that is taken, in bytes of printable ASCII.
    public static let longest = 1_024
    /// With the time in front of it an update token fills a cell of at most 254 bytes.
    public static let longestInCell = 254 - UpdateToken.timeLength
    /// No token begins with it.
    public static let mark: [UInt8] = [1]

    /// What of a token stands in a cell.
    public static func cellContent(_ token: some Collection<UInt8>) -> [UInt8] {
        token.count > longestInCell || token.contains(where: isEscaped) ? mark : Array(token)
    }

    /// Whether messages can be sent to it: as it stands in them it is no longer than an address may be.
    public static func isAddressable(_ token: some Collection<UInt8>) -> Bool {
        (1...longest).contains(escaped(token).count)
    }

    /// The token as it stands in a JSON string.
    public static func escaped(_ token: some Collection<UInt8>) -> [UInt8] {
        token.flatMap { isEscaped($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    }

    /// The token that a message was sent to, by what stood in it.
    public static func unescaped(_ text: some Collection<UInt8>) -> [UInt8] {
        var isLiteral = false
        return text.filter { byte in
            let isKept = isLiteral || byte != UInt8(ascii: "\\")
            isLiteral = !isKept
            return isKept
        }
    }

    /// Of printable characters these alone.
    private static func isEscaped(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
}
