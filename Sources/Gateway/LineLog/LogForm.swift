import Encodings
import LiveActivity
import Logging
import TimeCore

/// The format of the log. Each event is one line.
public enum LogForm: Sendable {
    /// For people: time, level, label, message, fields. Control characters are escaped.
    case text
    /// For programs: an object with `time`, `level`, `label`, `message`, and `metadata`, an object of texts, numbers,
    /// lists and objects.
    case json

    /// The length in bytes that suffices for most lines.
    static let usualLength = 640

    /// Returns the line about dropped lines.
    /// - Parameter isJournal: See `LineLogHandler`.
    public func lineOfDropped(_ count: Int, label: String, isJournal: Bool = false) -> [UInt8] {
        let line = line(
            .warning, label, "log lines dropped, reader too slow",
            fields([:], nil, ["lines": .stringConvertible(count)]))
        return isJournal ? SystemdJournal.priority(.warning) + line : line
    }

    func line(_ level: Logger.Level, _ label: String, _ message: String, _ fields: LogFields) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(LogForm.usualLength)
        switch self {
        case .text: LogForm.write(level, label, message, fields, to: &line)
        case .json: LogForm.writeJSON(level, label, message, fields, to: &line)
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// Collects the fields of a line.
    func fields(
        _ base: Logger.Metadata, _ provided: Logger.Metadata?, _ own: Logger.Metadata?, _ error: (any Error)? = nil
    ) -> LogFields {
        var own = own
        if let error { own = (own ?? [:]).merging(errorFields(error)) { $1 } }
        return LogFields(base, provided, own, self)
    }

    // MARK: Fields

    /// Appends a field's name and its separator, and returns the index of the name's end.
    func spell(name: String, to line: inout [UInt8]) -> Int {
        switch self {
        case .text: LogForm.append(name, to: &line)
        case .json: name.write(to: &line)
        }
        let end = line.count
        line.append(self == .text ? UInt8(ascii: "=") : UInt8(ascii: ":"))
        return end
    }

    /// Appends a field's value.
    func spell(_ value: Logger.MetadataValue, to line: inout [UInt8]) {
        switch (self, value) {
        case (.text, .string(let text)): LogForm.append(text, to: &line)
        case (.text, _): LogForm.append(value.description, to: &line)
        case (.json, _): LogForm.writeJSON(value, to: &line)
        }
    }

    private func errorFields(_ error: any Error) -> Logger.Metadata {
        switch self {
        case .text:
            ["error.message": .string("\(error)"), "error.type": .string(String(reflecting: type(of: error)))]
        case .json: ["error": .string("\(error)")]
        }
    }

    // MARK: Lines that are formatted directly

    /// Appends the part in front of the fields.
    func begin(_ level: Logger.Level, _ label: String, _ message: StaticString, to line: inout [UInt8]) {
        switch self {
        case .text:
            LogForm.writeHead(level, label, to: &line)
            line.append(contentsOf: LogForm.plain(message))
        case .json:
            LogForm.writeJSONHead(level, label, to: &line)
            line.append(UInt8(ascii: "\""))
            line.append(contentsOf: LogForm.plain(message))
            line.append(UInt8(ascii: "\""))
        }
    }

    /// Appends the separator in front of a field.
    func separate(isFirst: Bool, _ line: inout [UInt8]) {
        switch self {
        case .text: line.append(UInt8(ascii: " "))
        case .json where isFirst: line.append(contentsOf: LogForm.fieldsBegin.bytes)
        case .json: line.append(UInt8(ascii: ","))
        }
    }

    /// Appends a field's name and its separator.
    func spell(plainName name: StaticString, to line: inout [UInt8]) {
        quote(&line)
        line.append(contentsOf: LogForm.plain(name))
        quote(&line)
        line.append(self == .text ? UInt8(ascii: "=") : UInt8(ascii: ":"))
    }

    /// Appends a field's value.
    func spell(text value: String, to line: inout [UInt8]) {
        switch self {
        case .text: LogForm.append(value, to: &line)
        case .json: value.write(to: &line)
        }
    }

    /// Appends the quotation mark of JSON around a value without escapes.
    func quote(_ line: inout [UInt8]) {
        if self == .json { line.append(UInt8(ascii: "\"")) }
    }

    /// Appends the end of the line.
    func end(hasFields: Bool, to line: inout [UInt8]) {
        if self == .json {
            if hasFields { line.append(UInt8(ascii: "}")) }
            line.append(UInt8(ascii: "}"))
        }
        line.append(UInt8(ascii: "\n"))
    }

    /// Returns the bytes of a message or name that needs no escapes.
    private static func plain(_ text: StaticString) -> UnsafeBufferPointer<UInt8> {
        assert(
            text.bytes.allSatisfy { (0x20..<0x7F).contains($0) && !#""\"#.utf8.contains($0) },
            "\(text) needs escapes")
        return text.bytes
    }

    // MARK: Text

    private static func write(
        _ level: Logger.Level, _ label: String, _ message: String, _ fields: LogFields, to line: inout [UInt8]
    ) {
        writeHead(level, label, to: &line)
        append(message, to: &line)
        guard !fields.isEmpty else { return }
        line.append(UInt8(ascii: " "))
        fields.write(to: &line, separator: UInt8(ascii: " "))
    }

    private static func writeHead(_ level: Logger.Level, _ label: String, to line: inout [UInt8]) {
        LogClock.appendLocal(.now(), to: &line)
        line.append(UInt8(ascii: " "))
        line += level.rawValue.utf8
        if !label.isEmpty { line.append(UInt8(ascii: " ")) }
        append(label, to: &line)
        line += ": ".utf8
    }

    private static func append(_ text: String, to line: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            guard hasControl(bytes) else { return line.append(contentsOf: bytes) }
            for index in bytes.indices {
                let byte = bytes[index]
                switch byte {
                case 0xC2 where index + 1 < bytes.count && isSecondControl(bytes[index + 1]):
                    // The next byte is the character's number.
                    break
                case 0x80..<0xA0 where index > 0 && bytes[index - 1] == 0xC2:
                    line += "\\u{\(String(byte, radix: 16))}".utf8
                case UInt8(ascii: "\n"): line += "\\n".utf8
                case UInt8(ascii: "\r"): line += "\\r".utf8
                case UInt8(ascii: "\t"): line += "\\t".utf8
                case 0..<0x20, 0x7F: line += "\\u{\(String(byte, radix: 16))}".utf8
                default: line.append(byte)
                }
            }
        }
    }

    /// True for the second byte of U+0080 to U+009F, which eight-bit terminals obey.
    private static func isSecondControl(_ byte: UInt8) -> Bool { (0x80..<0xA0).contains(byte) }

    /// True if there is a byte below 0x20, a 0x7F, or the first byte of a character up to U+00BF.
    private static func hasControl(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        EightBytes.areMarked(in: bytes) { $0.marks(below: 0x20) | $0.marks(of: 0x7F) | $0.marks(of: 0xC2) }
    }

    // MARK: JSON

    private static func writeJSON(
        _ level: Logger.Level, _ label: String, _ message: String, _ fields: LogFields, to line: inout [UInt8]
    ) {
        writeJSONHead(level, label, to: &line)
        message.write(to: &line)
        if !fields.isEmpty {
            line.append(contentsOf: fieldsBegin.bytes)
            fields.write(to: &line, separator: UInt8(ascii: ","))
            line.append(UInt8(ascii: "}"))
        }
        line.append(UInt8(ascii: "}"))
    }

    private static let fieldsBegin: StaticString = #","metadata":{"#

    private static func writeJSONHead(_ level: Logger.Level, _ label: String, to line: inout [UInt8]) {
        line += #"{"time":""#.utf8
        LogClock.appendUTC(.now(), to: &line)
        line += #"","level":""#.utf8
        line += level.rawValue.utf8
        line += #"","label":"#.utf8
        label.write(to: &line)
        line += #","message":"#.utf8
    }

    /// True if the value's description is a number in JSON.
    private static func isNumber(_ value: any CustomStringConvertible) -> Bool {
        value is any BinaryInteger || (value as? Double)?.isFinite == true
    }

    private static func writeJSON(_ value: Logger.MetadataValue, to line: inout [UInt8]) {
        switch value {
        case .string(let text): text.write(to: &line)
        case .stringConvertible(let value) where isNumber(value): line += value.description.utf8
        case .stringConvertible(let value): value.description.write(to: &line)
        case .dictionary(let inner):
            line.append(UInt8(ascii: "{"))
            LogFields([:], nil, inner, .json).write(to: &line, separator: UInt8(ascii: ","))
            line.append(UInt8(ascii: "}"))
        case .array(let elements):
            line.append(UInt8(ascii: "["))
            for index in elements.indices {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                writeJSON(elements[index], to: &line)
            }
            line.append(UInt8(ascii: "]"))
        }
    }
}
