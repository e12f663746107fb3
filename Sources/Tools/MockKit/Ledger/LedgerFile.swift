import Encodings
import LiveActivity

/// Encodes ledgers as NDJSON.
package enum LedgerFile {
    private static let chunkLength = 1 << 20

    /// - Parameter line: Encodes one record without a newline.
    package static func write(
        _ records: [Ledger.Record], to path: String, _ line: (Ledger.Record) -> [UInt8]
    ) throws(MockError) {
        // Only the owner may read the file, because it contains credentials.
        let file = try FileWriter(path: path, mode: 0o600)
        var chunk: [UInt8] = []
        for record in records {
            append(line(record), to: &chunk)
            if chunk.count >= chunkLength {
                try file.write(chunk)
                chunk.removeAll(keepingCapacity: true)
            }
        }
        try file.write(chunk)
    }

    /// Returns the records in the format of the file.
    package static func lines(_ records: [Ledger.Record], _ line: (Ledger.Record) -> [UInt8]) -> [UInt8] {
        records.reduce(into: []) { append(line($1), to: &$0) }
    }

    private static func append(_ line: [UInt8], to lines: inout [UInt8]) {
        lines += line
        lines.append(UInt8(ascii: "\n"))
    }

    /// Returns a record as JSON.
    /// - Parameters:
    ///   - bodyName: The name of the member that holds the body in Base64.
    ///   - own: Writes the service's own members, which precede the body.
    package static func line(
        _ record: Ledger.Record, _ names: FieldNames, bodyName: String, _ own: (inout JSONObjectWriter) -> Void
    ) -> [UInt8] {
        let fields = HeaderBlock.fields(record.fields, names, authorization: record.authorization)
        return JSONWriter.object {
            $0.field("time", record.time)
            $0.field("path", fields.first { $0.name == ":path" }?.value ?? "")
            $0.object("headers") { headers in
                for field in fields { headers.field(field.name, field.value) }
            }
            own(&$0)
            $0.field(bodyName, Base64.encode(record.body))
            if let answer = record.answer {
                $0.field("status", answer.status)
                $0.field("reason", answer.reason)
            } else if let code = record.resetCode {
                $0.field("reset", Int(code))
            }
            $0.field("answer_sent", record.wasSent)
            $0.field("connection", record.connection)
            $0.field("stream", record.stream)
        }
    }
}
