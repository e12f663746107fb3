extension BrokenRule {
    private static let interruption = Wire.headers(5, 0, [0x20, 0x88])

    static let blocks: [BrokenRule] = [
        BrokenRule("HEADERS on no stream", Wire.headers(0), .goAway(1)),
        BrokenRule("HEADERS on no stream, not at its end", Wire.headers(0, 4), .goAway(1)),
        BrokenRule("HEADERS on an idle stream", Wire.headers(9, 5, [0x20, 0x88]), .goAway(1)),
        BrokenRule("HEADERS on a stream of the server's", Wire.headers(2, 5, [0x20, 0x88]), .goAway(1)),
        BrokenRule("HEADERS on an answered stream", Wire.headers(1, 5, [0x20, 0x88]), .nothing),
        BrokenRule("HEADERS on a cancelled stream", Wire.headers(3, 5, [0x20, 0x88]), .nothing),
        BrokenRule("more padding than HEADERS", Wire.headers(5, 0xD, [3, 0x20, 0x88]), .goAway(1)),
        BrokenRule("padded HEADERS of no length", Wire.headers(5, 0xD, []), .goAway(6), theirs: .goAway(1)),
        BrokenRule("HEADERS with half a priority", Wire.headers(5, 0x25, [0, 0, 0, 0]), .goAway(6)),

        BrokenRule("CONTINUATION of nothing", Wire.continuation(5, 4, [0x88]), .goAway(1)),
        BrokenRule("CONTINUATION on another stream", interruption + Wire.continuation(7, 4, []), .goAway(1)),
        BrokenRule("CONTINUATION on no stream", interruption + Wire.continuation(0, 4, []), .goAway(1)),
        BrokenRule(
            "a block interrupted by PING", interruption + Wire.ping([UInt8](repeating: 0, count: 8)), .goAway(1)),
        BrokenRule("a block interrupted by DATA", interruption + Wire.data(5, 1, [1]), .goAway(1)),
        BrokenRule("a block interrupted by HEADERS", interruption + Wire.headers(5, 5, [0x88]), .goAway(1)),
        BrokenRule(
            "a block interrupted by an unknown frame", interruption + Wire.frame(0xEE, 0, stream: 5), .goAway(1)),
        BrokenRule(
            "a block of too many frames",
            interruption + (0..<40).flatMap { _ in Wire.continuation(5, 0, []) }, .goAway(11),
            theirs: .fatal),
        BrokenRule(
            "a block of too many bytes",
            Wire.headers(5, 0, [0x20, 0x88] + [UInt8](repeating: 0x8C, count: 16_000))
                + Wire.continuation(5, 4, [UInt8](repeating: 0x8C, count: 1_000)), .goAway(11),
            theirs: .reset(1, stream: 5)),

        BrokenRule("index 0", Wire.headers(5, 5, [0x20, 0x80]), .goAway(9)),
        BrokenRule("an index into the empty dynamic table", Wire.headers(5, 5, [0x20, 0xBE]), .goAway(9)),
        BrokenRule(
            "an index without end", Wire.headers(5, 5, [0x20, 0xFF] + [UInt8](repeating: 0xFF, count: 12)), .goAway(9)),
        BrokenRule("a literal that is cut off", Wire.headers(5, 5, [0x20, 0x08, 0x03, 0x32]), .goAway(9)),
        BrokenRule("an integer that is cut off", Wire.headers(5, 5, [0x20, 0x08, 0x7F]), .goAway(9)),
        BrokenRule("a bad Huffman code", Wire.headers(5, 5, [0x20, 0x08, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]), .goAway(9)),
        BrokenRule("a table larger than ours", Wire.headers(5, 5, [0x21, 0x88]), .goAway(9)),
        BrokenRule("a size update in the middle", Wire.headers(5, 4, [0x20, 0x8C, 0x20]), .goAway(9)),
        BrokenRule("a bad block on a cancelled stream", Wire.headers(3, 5, [0x20, 0x80]), .goAway(9)),
        BrokenRule(
            "the rest of a 200 that cannot be decoded, at which nobody looks", Wire.headers(5, 5, [0x88, 0x80]),
            .nothing,
            theirs: .goAway(9)),
    ]
}
