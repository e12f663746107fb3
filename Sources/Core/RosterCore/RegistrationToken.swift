/// The form of an Android device's registration token in cells and messages.
///
/// Nearly all tokens have some 160 letters, digits, `-`, `_` and `:`. They need no escapes in JSON, and their cells
/// contain them unchanged. For a token that is too long or needs escapes, the cell contains `mark`. The user's hash has
/// the newest token.
public enum RegistrationToken {
    /// The greatest length, in bytes of printable ASCII.
    public static let longest = 1_024
    /// The greatest length in a cell, which has 254 bytes with the time in front.
    package static let longestInCell = 254 - UpdateToken.timeLength
    /// Replaces a token in its cell. No token begins with it.
    public static let mark: [UInt8] = [1]

    /// Returns the content of the token's cell.
    package static func cellContent(_ token: some Collection<UInt8>) -> [UInt8] {
        token.count > longestInCell || token.contains(where: isEscaped) ? mark : Array(token)
    }

    /// True if messages can be sent to the token: with its escapes it is no longer than an address may be.
    public static func isAddressable(_ token: some Collection<UInt8>) -> Bool {
        (1...longest).contains(escaped(token).count)
    }

    /// Returns the token with the escapes of a JSON string.
    public static func escaped(_ token: some Collection<UInt8>) -> [UInt8] {
        token.flatMap { isEscaped($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    }

    /// Returns the token of a message without escapes.
    package static func unescaped(_ text: some Collection<UInt8>) -> [UInt8] {
        var isLiteral = false
        return text.filter { byte in
            let isKept = isLiteral || byte != UInt8(ascii: "\\")
            isLiteral = !isKept
            return isKept
        }
    }

    /// True for the printable characters that JSON escapes.
    private static func isEscaped(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
}
