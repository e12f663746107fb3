import Encodings
import LiveActivity

/// The ledger as NDJSON.
package enum LedgerFile {
    private static let chunkLength = 1 << 20

    /// - Parameter line: one record, without the end of the line.
    package static func write(
        _ records: [Ledger.Record], to path: String, _ line: (Ledger.Record) -> [UInt8]
    ) throws(MockError) {
        // Credentials are in it, so it is for the owner only.
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

    /// What a file of these records would have in it.
    package static func lines(_ records: [Ledger.Record], _ line: (Ledger.Record) -> [UInt8]) -> [UInt8] {
        records.reduce(into: []) { append(line($1), to: &$0) }
    }

    private static func append(_ line: [UInt8], to lines: inout [UInt8]) {
        lines += line
        lines.append(UInt8(ascii: "\n"))
    }

    /// A record as JSON.
    /// - Parameters:
    ///   - bodyName: what the member with the body, in Base64, is called.
    ///   - own: writes the members that the service adds, which stand in front of it.
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
