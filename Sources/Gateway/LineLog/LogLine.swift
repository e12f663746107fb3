import Encodings
public import LiveActivity
import Logging
public import TimeCore

/// The fields of a line, in the order in which they are added. They are formatted at once, or collected as metadata for
/// handlers of other types.
public struct LogLine {
    private let form: LogForm?
    private var bytes: [UInt8] = []
    private var isEmpty = true
    /// The fields for a handler of another type.
    private(set) var metadata: Logger.Metadata = [:]

    /// A line of this format, up to its fields.
    init(_ form: LogForm, _ level: Logger.Level, _ label: String, _ message: StaticString) {
        self.form = form
        bytes.reserveCapacity(LogForm.usualLength)
        form.begin(level, label, message, to: &bytes)
    }

    /// Fields for a handler of another type.
    init() {
        form = nil
    }

    /// Adds the field unless it is nil. Each name must occur once and need no escapes in JSON or on a terminal.
    public mutating func add(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        guard let form else { return collect(name, text) }
        begin(name, form)
        form.spell(text: text, to: &bytes)
    }

    /// Adds an id in its 36 characters.
    public mutating func add(_ name: StaticString, _ id: UniqueID) {
        guard let form else { return collect(name, id.description) }
        begin(name, form)
        form.quote(&bytes)
        id.append(to: &bytes)
        form.quote(&bytes)
    }

    /// Adds a number in decimal.
    public mutating func add(_ name: StaticString, _ number: Int) {
        guard let form else { return collect(name, number) }
        begin(name, form)
        bytes.appendDecimal(number)
    }

    /// Adds milliseconds in hundredths, in the format of a `Double`: `12.0`, `0.05`.
    public mutating func add(_ name: StaticString, milliseconds duration: TimeInterval) {
        let all = (duration.nanoseconds + 5000) / 10_000
        guard let form else { return collect(name, Double(all) / 100) }
        let (whole, hundredths) = all.quotientAndRemainder(dividingBy: 100)
        begin(name, form)
        bytes.appendDecimal(Int(whole))
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + UInt8(hundredths / 10))
        if hundredths % 10 != 0 { bytes.append(UInt8(ascii: "0") + UInt8(hundredths % 10)) }
    }

    private mutating func begin(_ name: StaticString, _ form: LogForm) {
        form.separate(isFirst: isEmpty, &bytes)
        isEmpty = false
        form.spell(plainName: name, to: &bytes)
    }

    private mutating func collect(_ name: StaticString, _ text: String) {
        metadata[name.description] = .string(text)
    }

    private mutating func collect(_ name: StaticString, _ number: any Numeric & CustomStringConvertible & Sendable) {
        metadata[name.description] = .stringConvertible(number)
    }

    /// Returns the whole line; empty for a handler of another type.
    consuming func end() -> [UInt8] {
        form?.end(hasFields: !isEmpty, to: &bytes)
        return bytes
    }
}
