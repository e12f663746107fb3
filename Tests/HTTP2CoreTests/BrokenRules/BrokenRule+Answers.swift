extension BrokenRule {
    private static func answer(
        _ name: String, _ block: [UInt8], _ ours: Reaction = .reset(1, stream: 5), theirs: Reaction? = nil
    )
        -> BrokenRule
    {
        BrokenRule(name, Wire.headers(5, 5, [0x20] + block), ours, theirs: theirs)
    }

    private static let bad = Wire.status("400")

    static let answers: [BrokenRule] = [
        answer("no status", Wire.field("x", "y")),
        answer("an empty block", []),
        answer("two statuses", bad + bad),
        answer("two times 200", [0x8C, 0x88]),
        answer("a status of two digits", Wire.status("20")),
        answer("a status of four digits", Wire.status("2000")),
        answer("a status that is no number", Wire.status("4oo")),
        answer("status 000", Wire.status("000"), theirs: .nothing),
        answer("status 099", Wire.status("099"), theirs: .nothing),
        answer("a status behind a field", Wire.field("x", "y") + bad),
        answer("a pseudo-header field of requests", bad + [0x84]),
        answer("an unknown pseudo-header field", bad + Wire.field(":x", "y")),
        answer("a name in capitals", bad + Wire.field("X-Y", "z")),
        answer("a name with a blank", bad + Wire.field("x y", "z")),
        answer("a name with a colon", bad + Wire.field("x:y", "z")),
        answer("a name of no bytes", bad + Wire.field("", "z")),
        answer("a value with a line break", bad + Wire.field("x", "a\nb")),
        answer("a value with a carriage return", bad + Wire.field("x", "a\rb")),
        answer("a value with a zero", bad + Wire.field("x", "a\0b")),
        answer("connection", bad + Wire.field("connection", "close")),
        answer("keep-alive", bad + Wire.field("keep-alive", "5")),
        answer("proxy-connection", bad + Wire.field("proxy-connection", "close")),
        answer("transfer-encoding", bad + Wire.field("transfer-encoding", "chunked")),
        answer("upgrade", bad + Wire.field("upgrade", "h2c")),
        answer("te", bad + Wire.field("te", "gzip")),
        answer("two lengths", bad + Wire.field("content-length", "0") + Wire.field("content-length", "0")),
        answer("a length that is no number", bad + Wire.field("content-length", "0x")),
        answer("an empty length", bad + Wire.field("content-length", "")),
        answer("a length and no body", bad + Wire.field("content-length", "5")),
        answer("a length of 2^32 - 1 and no body", bad + Wire.field("content-length", "4294967295")),
        answer("a length of 18 digits and no body", bad + Wire.field("content-length", "999999999999999999")),
        answer("status 101", Wire.status("101")),
        answer("an interim answer at the stream's end", Wire.status("103")),
        BrokenRule("status 101, not at the end", Wire.headers(5, 4, [0x20] + Wire.status("101")), .reset(1, stream: 5)),
        BrokenRule(
            "a longer body than promised",
            Wire.headers(5, 4, [0x20] + bad + Wire.field("content-length", "2")) + Wire.data(5, 1, [1, 2, 3]),
            .reset(1, stream: 5)),
        BrokenRule(
            "a shorter body than promised",
            Wire.headers(5, 4, [0x20] + bad + Wire.field("content-length", "2")) + Wire.data(5, 1, [1]),
            .reset(1, stream: 5)),
        BrokenRule(
            "a promised length that trailers end",
            Wire.headers(5, 4, [0x20] + bad + Wire.field("content-length", "2"))
                + Wire.headers(5, 5, Wire.field("x", "y")),
            .reset(1, stream: 5)),
        BrokenRule(
            "trailers that do not end the stream",
            Wire.headers(5, 4, [0x20] + bad) + Wire.headers(5, 4, Wire.field("x", "y")), .reset(1, stream: 5)),
        BrokenRule(
            "a second answer", Wire.headers(5, 4, [0x20] + bad) + Wire.headers(5, 5, bad), .reset(1, stream: 5)),
        BrokenRule(
            "a second answer with 200", Wire.headers(5, 4, [0x20] + bad) + Wire.headers(5), .reset(1, stream: 5)),
        BrokenRule(
            "an answer to a body that waits", Wire.headers(7, 5, [0x20] + bad), .reset(8, stream: 7), theirs: .nothing),
        BrokenRule(
            "a malformed answer to a body that waits", Wire.headers(7, 5, [0x20] + bad + bad), .reset(1, stream: 7)),
        BrokenRule(
            "a list of fields that is too long",
            Wire.headers(5, 5, [0x20] + bad + [UInt8](repeating: 0x90, count: 1_000)),
            .reset(1, stream: 5), theirs: .nothing),
        BrokenRule(
            "a body without end",
            Wire.headers(5, 4, [0x20] + bad)
                + (0..<3).flatMap { _ in Wire.data(5, 0, [UInt8](repeating: 1, count: 12_000)) },
            .reset(8, stream: 5), theirs: .nothing),
    ]
}
