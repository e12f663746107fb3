import GatewayAPI

/// A record of an import.
struct ImportRecord {
    /// The line that it begins in, counted from 1.
    let line: Int
    /// The device, or what is wrong.
    let device: Result<DeviceLine, Refusal>

    /// What is wrong with it, for people.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads its object of JSON.
    static func device(_ object: [UInt8]) throws(Refusal) -> DeviceLine {
        do throws(DeviceLine.Invalid) {
            return try DeviceLine(object)
        } catch {
            throw Refusal(description: error.description)
        }
    }
}

/// Records one after the other, in constant memory.
protocol ImportSource {
    /// Bytes read so far, of which `size` are in the file.
    var bytesRead: Int { get }
    /// Of the file; 0 when it is not known.
    var size: Int { get }
    /// Columns that nothing is taken from.
    var unusedColumns: [String] { get }
    /// The next record; nil after the last. Throws what ends the reading.
    mutating func next() throws -> ImportRecord?
}

/// A JSON object a line. Blank lines are passed over.
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
