import Glibc
import Logging

/// What a line tells beside its message, spelled as the line has it. Each field is spelled where its value lies, since to copy
/// values about costs more than to spell them; then they are put in the order of their names.
struct LogFields {
    private struct Field {
        let start: Int
        let nameEnd: Int
        let end: Int
    }

    /// How many fields, and how many bytes of them, most lines have at most.
    private static let usual = (fields: 12, bytes: 640)
    /// The server framework's own number of a request, beside the one that everybody else knows it by.
    private static let framework = (name: "hb.request.id", insteadOf: "request_id")

    private var spelled: [UInt8] = []
    private var fields: [Field] = []

    /// Fields of the line go over those of the provider, and these over the logger's.
    init(
        _ base: Logger.Metadata, _ provided: Logger.Metadata?, _ own: Logger.Metadata?,
        spelledBy spell: (String, Logger.MetadataValue, inout [UInt8]) -> Int
    ) {
        spelled.reserveCapacity(LogFields.usual.bytes)
        fields.reserveCapacity(LogFields.usual.fields)
        if let own {
            for (name, value) in own { add(name, value, spell) }
        }
        if let provided {
            for (name, value) in provided where own?[name] == nil { add(name, value, spell) }
        }
        for (name, value) in base where own?[name] == nil && provided?[name] == nil {
            if name == LogFields.framework.name {
                let better = LogFields.framework.insteadOf
                if base[better] != nil || own?[better] != nil || provided?[better] != nil { continue }
            }
            add(name, value, spell)
        }
    }

    var isEmpty: Bool { fields.isEmpty }

    /// - Parameter spell: appends name and value, and gives where the name ends.
    private mutating func add(
        _ name: String, _ value: Logger.MetadataValue,
        _ spell: (String, Logger.MetadataValue, inout [UInt8]) -> Int
    ) {
        let start = spelled.count
        let nameEnd = spell(name, value, &spelled)
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
    func write(to line: inout [UInt8], separator: UInt8) {
        spelled.withUnsafeBufferPointer { bytes in
            for index in fields.indices {
                if index > 0 { line.append(separator) }
                line.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[fields[index].start..<fields[index].end]))
            }
        }
    }
}
