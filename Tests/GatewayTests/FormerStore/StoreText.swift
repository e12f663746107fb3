/// Redis commands as text, one to a line, as redis-cli reads and prints them.
enum StoreText {
    typealias Command = [[UInt8]]

    struct Malformed: Error {
        let line: String
    }

    // MARK: Lines

    static func line(_ command: Command) -> String {
        command.map(word).joined(separator: " ")
    }

    private static func word(_ bytes: [UInt8]) -> String {
        let isPlain =
            !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x27 && $0 != 0x5C }
        if isPlain { return String(decoding: bytes, as: UTF8.self) }
        var text = "\""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""): text += #"\""#
            case UInt8(ascii: "\\"): text += #"\\"#
            case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += #"\x"# + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text + "\""
    }

    static func command(_ line: String) throws -> Command {
        var words: Command = []
        var rest = Array(line.utf8)[...]
        while let first = rest.first {
            if first == UInt8(ascii: " ") {
                rest.removeFirst()
            } else if first == UInt8(ascii: "\"") {
                rest.removeFirst()
                words.append(try quoted(&rest, of: line))
            } else {
                let word = rest.prefix { $0 != UInt8(ascii: " ") }
                words.append(Array(word))
                rest = rest.dropFirst(word.count)
            }
        }
        return words
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>, of line: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return bytes }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { break }
            guard escaped == UInt8(ascii: "x") else {
                bytes.append(escaped)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { break }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        throw Malformed(line: line)
    }

    // MARK: Append-only files

    /// The commands of an append-only file: arrays of strings in RESP.
    static func commands(ofFile file: [UInt8]) throws -> [Command] {
        var rest = file[...]
        func number(_ mark: Unicode.Scalar) throws -> Int {
            let line = rest.prefix { $0 != 0x0D }
            let text = String(decoding: line.dropFirst(), as: UTF8.self)
            guard line.first == UInt8(ascii: mark), let number = Int(text) else { throw Malformed(line: text) }
            rest = rest.dropFirst(line.count + 2)
            return number
        }
        var commands: [Command] = []
        while !rest.isEmpty {
            commands.append(
                try (0..<number("*")).map { _ in
                    let length = try number("$")
                    defer { rest = rest.dropFirst(length + 2) }
                    return Array(rest.prefix(length))
                })
        }
        return commands
    }
}
