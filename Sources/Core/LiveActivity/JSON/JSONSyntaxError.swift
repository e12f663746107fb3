/// Why a text is not the JSON that was asked for, and where. Carries no content but the name of a duplicated
/// member, which is one that the reader asked for by name; so it is safe to log and to send back.
public struct JSONSyntaxError: Error, Equatable, Sendable {
    /// The byte offset in the whole text, from 0. Equal to the length of the text where the text ends too early.
    public let offset: Int
    /// What is wrong there.
    public let reason: Reason

    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// What is wrong. The sections named are those of RFC 8259.
    public enum Reason: Equatable, Sendable {
        /// No value at all: no bytes, or only white space.
        case empty
        /// Longer than this many bytes.
        case tooLong(maximum: Int)
        /// The text ends inside a value.
        case unexpectedEnd
        /// Neither a value nor the start of one.
        case expectedValue
        /// In an object, something other than a string stands where a name belongs (section 4).
        case expectedMemberName
        /// No colon between a name and its value (section 4).
        case expectedColon
        /// In an object, after a value (section 4).
        case expectedCommaOrClosingBrace
        /// In an array, after a value (section 5).
        case expectedCommaOrClosingBracket
        /// Something other than white space after the value (section 2).
        case trailingBytes
        /// A word that starts like true, false or null and is none of them (section 3).
        case invalidLiteral
        /// A number lacks a digit here (section 6).
        case expectedDigit
        /// A number has digits after a leading zero (section 6). The offset is that of the zero.
        case leadingZero
        /// A byte below 0x20 in a string (section 7).
        case controlCharacter
        /// A backslash with something after it that is no escape (section 7). The offset is that of the backslash.
        case invalidEscape
        /// `\u` without four hexadecimal digits (section 7). The offset is that of the backslash.
        case invalidUnicodeEscape
        /// Half of a surrogate pair without the other half (section 8.2). The offset is that of the backslash.
        case loneSurrogate
        /// Bytes that are no UTF-8 (section 8.1, RFC 3629). The offset is that of the first byte of the sequence.
        case invalidUTF8
        /// More objects and arrays inside one another than this.
        case tooDeep(maximum: Int)
        /// An object has this member twice. The offset is that of the second one's name.
        case duplicateMember(String)
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// A line for people, such as `byte 17: a value is expected here`.
    public var description: String { "byte \(offset): \(reason)" }
}

extension JSONSyntaxError.Reason: CustomStringConvertible {
    /// A plain sentence without its full stop.
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
