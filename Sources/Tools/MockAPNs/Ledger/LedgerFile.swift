import LiveActivity

/// The ledger as NDJSON.
enum LedgerFile {
    private static let chunkLength = 1 << 20

    static func write(_ records: [Ledger.Record], to path: String) throws(MockAPNsError) {
        // Provider tokens are in it, so it is for the owner only.
        let file = try FileWriter(path: path, mode: 0o600)
        var chunk: [UInt8] = []
        for record in records {
            append(record, to: &chunk)
            if chunk.count >= chunkLength {
                try file.write(chunk)
                chunk.removeAll(keepingCapacity: true)
            }
        }
        try file.write(chunk)
    }

    /// What a file of these records would have in it.
    static func lines(_ records: [Ledger.Record]) -> [UInt8] {
        records.reduce(into: []) { append($1, to: &$0) }
    }

    private static func append(_ record: Ledger.Record, to lines: inout [UInt8]) {
        lines += line(record.entry)
        lines.append(UInt8(ascii: "\n"))
    }

    private static func line(_ entry: LedgerEntry) -> [UInt8] {
        JSONWriter.object {
            $0.field("time", entry.time)
            $0.field("path", entry.path)
            $0.object("headers") { headers in
                for header in entry.headers {
                    headers.field(header.name, header.value)
                }
            }
            $0.field("push_type", entry.pushType?.rawValue)
            $0.field("payload", Base64.encoded(entry.payload))
            switch entry.answer {
            case .answered(let status, let reason):
                $0.field("status", status)
                $0.field("reason", reason)
            case .reset(let code): $0.field("reset", Int(code))
            case .none: break
            }
            $0.field("answer_sent", entry.answerWasSent)
            $0.field("connection", entry.connection)
            $0.field("stream", entry.stream)
        }
    }
}

/// Base 64 with padding (RFC 4648, section 4).
enum Base64 {
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while let first = rest.popFirst() {
            let second = rest.popFirst()
            let third = rest.popFirst()
            let bits = UInt32(first) << 16 | UInt32(second ?? 0) << 8 | UInt32(third ?? 0)
            let digits = [bits >> 18, bits >> 12 & 63, bits >> 6 & 63, bits & 63].map { alphabet.utf8Start[Int($0)] }
            text += digits.prefix(third != nil ? 4 : second != nil ? 3 : 2)
            if third == nil { text += second == nil ? "==".utf8 : "=".utf8 }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
