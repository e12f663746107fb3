/// A token of Lua code. Comments are dropped.
enum LuaToken: Equatable {
    /// A name or keyword with its dotted suffixes: `redis.call`.
    case name(Substring)
    /// Any other token, including white space.
    case other(Substring)

    /// Splits a text into tokens. Supports Lua without long strings and long comments.
    static func tokens(of text: Substring) -> [LuaToken] {
        var reader = LuaReader(text)
        var tokens: [LuaToken] = []
        while let token = reader.next() { tokens.append(token) }
        return tokens
    }
}

/// Reads tokens from the start of a Lua text.
private struct LuaReader {
    private let bytes: Substring.UTF8View
    private var index: Substring.UTF8View.Index

    init(_ text: Substring) {
        bytes = text.utf8
        index = bytes.startIndex
    }

    mutating func next() -> LuaToken? {
        while take("--") { skip { $0 != UInt8(ascii: "\n") } }
        guard index < bytes.endIndex else { return nil }
        let start = index
        let first = bytes[index]
        advance()
        switch first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            skipString(endingWith: first)
        case _ where LuaReader.begins(first):
            skip(LuaReader.continues)
            while dotsName() {
                advance()
                skip(LuaReader.continues)
            }
            return .name(Substring(bytes[start..<index]))
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            skip(LuaReader.continues)
        default:
            break
        }
        return .other(Substring(bytes[start..<index]))
    }

    private mutating func advance() {
        index = bytes.index(after: index)
    }

    private mutating func skip(_ isPart: (UInt8) -> Bool) {
        while index < bytes.endIndex, isPart(bytes[index]) { advance() }
    }

    private mutating func skipString(endingWith quote: UInt8) {
        while index < bytes.endIndex, bytes[index] != quote {
            if bytes[index] == UInt8(ascii: "\\") { advance() }
            if index < bytes.endIndex { advance() }
        }
        if index < bytes.endIndex { advance() }
    }

    private mutating func take(_ mark: StaticString) -> Bool {
        guard bytes[index...].starts(with: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
        else { return false }
        index = bytes.index(index, offsetBy: mark.utf8CodeUnitCount)
        return true
    }

    /// True if a dot and another name follow. Two dots concatenate strings.
    private func dotsName() -> Bool {
        guard index < bytes.endIndex, bytes[index] == UInt8(ascii: ".") else { return false }
        let behind = bytes.index(after: index)
        return behind < bytes.endIndex && LuaReader.begins(bytes[behind])
    }

    private static func begins(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func continues(_ byte: UInt8) -> Bool {
        begins(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
