import Glibc
import Logging

/// What a line tells beside its message, in the order of names. Spelled where their values lie, since to copy values
/// about costs more than that.
struct LogFields {
    private struct Field {
        let start: Int
        let nameEnd: Int
        let end: Int
    }

    /// How many fields, and how many bytes of them, most lines have at most.
    private static let usual = (fields: 12, bytes: 640)

    private let form: LogForm
    private var spelled: [UInt8] = []
    private var fields: [Field] = []

    /// Fields of the line go over those of the provider, and these over the logger's.
    init(_ base: Logger.Metadata, _ provided: Logger.Metadata?, _ own: Logger.Metadata?, _ form: LogForm) {
        self.form = form
        for (name, value) in own ?? [:] { add(name, value) }
        func isOwn(_ name: String) -> Bool { own?[name] != nil }
        for (name, value) in provided ?? [:] where !isOwn(name) { add(name, value) }
        for (name, value) in base where !isOwn(name) && provided?[name] == nil {
            add(name, value)
        }
    }

    var isEmpty: Bool { fields.isEmpty }

    private mutating func add(_ name: String, _ value: Logger.MetadataValue) {
        if fields.isEmpty {
            spelled.reserveCapacity(LogFields.usual.bytes)
            fields.reserveCapacity(LogFields.usual.fields)
        }
        let start = spelled.count
        let nameEnd = form.spell(name: name, to: &spelled)
        form.spell(value, to: &spelled)
        let field = Field(start: start, nameEnd: nameEnd, end: spelled.count)
        // They are few, so their place is looked for from the end.
        var place = fields.count
        while place > 0, isBefore(field, fields[place - 1]) { place -= 1 }
        fields.insert(field, at: place)
    }

    private func isBefore(_ left: Field, _ right: Field) -> Bool {
        spelled.withUnsafeBufferPointer { bytes in
            let (leftLength, rightLength) = (left.nameEnd - left.start, right.nameEnd - right.start)
            guard let base = bytes.baseAddress else { return false }
            let order = memcmp(base + left.start, base + right.start, min(leftLength, rightLength))
            return order != 0 ? order < 0 : leftLength < rightLength
        }
    }

    /// Appends all of them, with a byte between every two.
    func write(to output: inout [UInt8], separator: UInt8) {
        var isFirst = true
        spelled.withUnsafeBufferPointer { bytes in
            for index in fields.indices {
                if !isFirst { output.append(separator) }
                isFirst = false
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[fields[index].start..<fields[index].end]))
            }
        }
    }
}
