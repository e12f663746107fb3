import GatewayAPI

/// A record of an import.
struct ImportRecord {
    /// The number of the record's first line, counted from 1.
    let line: Int
    let device: Result<DeviceLine, Refusal>

    /// The reason for the refusal, for operators.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads a device from a JSON object.
    static func device(_ object: [UInt8]) throws(Refusal) -> DeviceLine {
        do throws(DeviceLine.Invalid) {
            return try DeviceLine(object)
        } catch {
            throw Refusal(description: error.description)
        }
    }
}

/// A sequence of records, read in constant memory.
protocol ImportSource {
    /// Bytes read so far, out of `size`.
    var bytesRead: Int { get }
    /// The size of the file in bytes; 0 if unknown.
    var size: Int { get }
    /// The columns that map to no field.
    var unusedColumns: [String] { get }
    /// Returns the next record; nil after the last. Throws if reading cannot continue.
    mutating func next() throws -> ImportRecord?
}

/// Records as JSON, one object a line. Blank lines are skipped.
struct JSONLinesSource: ImportSource {
    private var lines: LineReader
    private var number = 0

    init(_ lines: LineReader) {
        self.lines = lines
    }

    var bytesRead: Int { lines.bytesRead }
    var size: Int { lines.size }
    var unusedColumns: [String] { [] }

    mutating func next() throws -> ImportRecord? {
        while let line = try lines.next(number + 1) {
            number += 1
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
            return ImportRecord(
                line: number, device: Result { () throws(ImportRecord.Refusal) in try ImportRecord.device(line) })
        }
        return nil
    }
}
