import Glibc
import Logging

/// The fields of a line, sorted by name. They are formatted in place, because copying their values would cost more.
struct LogFields {
    private struct Field {
        let start: Int
        let nameEnd: Int
        let end: Int
    }

    /// The number of fields, and of their bytes, that suffices for most lines.
    private static let usual = (fields: 12, bytes: 640)

    private let form: LogForm
    private var spelled: [UInt8] = []
    private var fields: [Field] = []

    /// Creates the fields. The line's fields take precedence over the provider's, and these over the logger's.
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
        // The fields are few, so a search from the end finds the place.
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

    /// Appends all fields, with this byte between them.
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
