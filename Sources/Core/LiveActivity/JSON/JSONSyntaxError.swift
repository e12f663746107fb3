/// The reason and position of a JSON error. It contains no content except the name of a duplicated member, which the
/// reader requested. It is therefore safe to log and to return.
public struct JSONSyntaxError: Error, Equatable, Sendable {
    /// The byte offset in the whole text, from 0. It equals the text's length if the text ends too early.
    public let offset: Int
    /// The error at that offset.
    public let reason: Reason

    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// The kinds of error. Sections are those of RFC 8259.
    public enum Reason: Equatable, Sendable {
        /// No value: no bytes, or only white space.
        case empty
        /// Longer than `maximum` bytes.
        case tooLong(maximum: Int)
        /// The text ends inside a value.
        case unexpectedEnd
        /// Not the beginning of a value.
        case expectedValue
        /// An object's member does not begin with a name in quotes (section 4).
        case expectedMemberName
        /// No colon between a name and its value (section 4).
        case expectedColon
        /// In an object, after a value (section 4).
        case expectedCommaOrClosingBrace
        /// In an array, after a value (section 5).
        case expectedCommaOrClosingBracket
        /// Text other than white space after the value (section 2).
        case trailingBytes
        /// A word other than true, false or null that begins like one (section 3).
        case invalidLiteral
        /// A number lacks a digit here (section 6).
        case expectedDigit
        /// A number has digits after a leading zero (section 6). The offset is that of the zero.
        case leadingZero
        /// A byte below 0x20 in a string (section 7).
        case controlCharacter
        /// A backslash that does not begin an escape (section 7). The offset is that of the backslash.
        case invalidEscape
        /// `\u` without four hexadecimal digits (section 7). The offset is that of the backslash.
        case invalidUnicodeEscape
        /// Half of a surrogate pair without the other half (section 8.2). The offset is that of the backslash.
        case loneSurrogate
        /// Invalid UTF-8 (section 8.1, RFC 3629). The offset is that of the first byte of the sequence.
        case invalidUTF8
        /// Objects and arrays are nested deeper than `maximum`.
        case tooDeep(maximum: Int)
        /// An object has this member twice. The offset is that of the second one's name.
        case duplicateMember(String)
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// A line for people, for example `byte 17: a value is expected here`.
    public var description: String { "byte \(offset): \(reason)" }
}

extension JSONSyntaxError.Reason: CustomStringConvertible {
    /// A sentence without its full stop.
    public var description: String {
        switch self {
        case .empty: "the value is missing"
        case .tooLong(let maximum): "the text is longer than \(maximum) bytes"
        case .unexpectedEnd: "the text ends too early"
        case .expectedValue: "a value is expected here"
        case .expectedMemberName: "a member name in double quotes is expected here"
        case .expectedColon: "a colon is expected here"
        case .expectedCommaOrClosingBrace: "a comma or a closing brace is expected here"
        case .expectedCommaOrClosingBracket: "a comma or a closing bracket is expected here"
        case .trailingBytes: "only white space may follow the value"
        case .invalidLiteral: "a word other than true, false and null"
        case .expectedDigit: "a digit is expected here"
        case .leadingZero: "a number must not start with a zero and further digits"
        case .controlCharacter: "a control character must be escaped in a string"
        case .invalidEscape: "this is not an escape sequence"
        case .invalidUnicodeEscape: "four hexadecimal digits must follow \\u"
        case .loneSurrogate: "a surrogate pair is incomplete"
        case .invalidUTF8: "the bytes are not valid UTF-8"
        case .tooDeep(let maximum): "objects and arrays are nested more than \(maximum) deep"
        case .duplicateMember(let name): "the member \"\(name)\" appears twice"
        }
    }
}
