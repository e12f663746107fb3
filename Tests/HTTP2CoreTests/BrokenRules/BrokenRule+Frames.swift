extension BrokenRule {
    static let frames: [BrokenRule] = [
        BrokenRule("first a PING", Wire.ping([UInt8](repeating: 0, count: 8)), .goAway(1), isFirst: true),
        BrokenRule("first an acknowledgment of SETTINGS", Wire.settingsAcknowledgment, .goAway(1), isFirst: true),
        BrokenRule("first HTTP/1", Array("HTTP/1.1 400 Bad Request\r\n".utf8), .goAway(1), isFirst: true),

        BrokenRule(
            "a frame of one byte too many", Wire.frame(0, 0, stream: 5, [UInt8](repeating: 0, count: 16_385)),
            .goAway(6)),
        BrokenRule("the head alone of a frame too large", [0xFF, 0xFF, 0xFF, 0xAA, 0, 0, 0, 0, 0], .goAway(6)),

        BrokenRule("SETTINGS on a stream", Wire.frame(4, 0, stream: 5), .goAway(1)),
        BrokenRule("SETTINGS of five bytes", Wire.frame(4, 0, [0, 1, 0, 0, 0]), .goAway(6)),
        BrokenRule("SETTINGS ACK with content", Wire.frame(4, 1, [0, 1, 0, 0, 0, 0]), .goAway(6)),
        BrokenRule("SETTINGS ACK for nothing", Wire.settingsAcknowledgment, .goAway(1)),
        BrokenRule("SETTINGS_ENABLE_PUSH 1", Wire.settings([(2, 1)]), .goAway(1)),
        BrokenRule("SETTINGS_ENABLE_PUSH 2", Wire.settings([(2, 2)]), .goAway(1)),
        BrokenRule("SETTINGS_INITIAL_WINDOW_SIZE 2^31", Wire.settings([(4, 0x8000_0000)]), .goAway(3)),
        BrokenRule(
            "SETTINGS_INITIAL_WINDOW_SIZE 2^31, then 1", Wire.settings([(4, 0x8000_0000), (4, 1)]), .goAway(3),
            theirs: .nothing),
        BrokenRule("SETTINGS_MAX_FRAME_SIZE 16383", Wire.settings([(5, 16_383)]), .goAway(1)),
        BrokenRule("SETTINGS_MAX_FRAME_SIZE 2^24", Wire.settings([(5, 1 << 24)]), .goAway(1)),
        BrokenRule(
            "an initial window that lifts a stream's over 2^31 - 1",
            Wire.windowUpdate(7, 0x7FFF_FFFF) + Wire.settings([(4, 0x7FFF_FFFF)]), .goAway(3),
            theirs: .reset(3, stream: 7)),

        BrokenRule("PING on a stream", Wire.frame(6, 0, stream: 5, [UInt8](repeating: 0, count: 8)), .goAway(1)),
        BrokenRule("PING of seven bytes", Wire.ping([UInt8](repeating: 0, count: 7)), .goAway(6)),
        BrokenRule("PING ACK for nothing", Wire.ping([UInt8](repeating: 0, count: 8), 1), .nothing),

        BrokenRule("GOAWAY on a stream", Wire.frame(7, 0, stream: 5, [UInt8](repeating: 0, count: 8)), .goAway(1)),
        BrokenRule("GOAWAY of seven bytes", Wire.frame(7, 0, [UInt8](repeating: 0, count: 7)), .goAway(6)),
        BrokenRule("GOAWAY that names a stream of the server's", Wire.goAway(4), .goAway(1)),
        BrokenRule("GOAWAY that rises", Wire.goAway(5) + Wire.goAway(7), .goAway(1)),

        BrokenRule("WINDOW_UPDATE of three bytes", Wire.frame(8, 0, [0, 0, 1]), .goAway(6)),
        BrokenRule("WINDOW_UPDATE by 0 on the connection", Wire.windowUpdate(0, 0), .goAway(1)),
        BrokenRule("WINDOW_UPDATE by 0 with the reserved bit", Wire.windowUpdate(0, 0x8000_0000), .goAway(1)),
        BrokenRule("the connection's window over 2^31 - 1", Wire.windowUpdate(0, 0x7FFF_FFFF), .goAway(3)),
        BrokenRule("WINDOW_UPDATE on an idle stream", Wire.windowUpdate(9, 1), .goAway(1)),
        BrokenRule("WINDOW_UPDATE on a stream of the server's", Wire.windowUpdate(2, 1), .goAway(1)),
        BrokenRule("WINDOW_UPDATE by 0 on a stream", Wire.windowUpdate(7, 0), .reset(1, stream: 7), theirs: .goAway(1)),
        BrokenRule(
            "a stream's window over 2^31 - 1", Wire.windowUpdate(7, 0x7FFF_FFFF) + Wire.windowUpdate(7, 0x7FFF_FFFF),
            .reset(3, stream: 7)),
        BrokenRule(
            "the window over 2^31 - 1 of a stream whose body is sent, which nobody counts any more",
            Wire.windowUpdate(5, 0x7FFF_FFFF), .nothing, theirs: .reset(3, stream: 5)),
        BrokenRule("WINDOW_UPDATE on an answered stream", Wire.windowUpdate(1, 1), .nothing),
        BrokenRule("WINDOW_UPDATE by 0 on an answered stream", Wire.windowUpdate(1, 0), .nothing),

        BrokenRule("RST_STREAM of three bytes", Wire.frame(3, 0, stream: 5, [0, 0, 0]), .goAway(6)),
        BrokenRule("RST_STREAM on no stream", Wire.reset(0, 8), .goAway(1)),
        BrokenRule("RST_STREAM on an idle stream", Wire.reset(9, 8), .goAway(1)),
        BrokenRule("RST_STREAM on a stream of the server's", Wire.reset(4, 8), .goAway(1)),
        BrokenRule("RST_STREAM on an answered stream", Wire.reset(1, 8), .nothing),
        BrokenRule("PRIORITY on no stream", Wire.frame(2, 0, [0, 0, 0, 0, 0]), .goAway(1)),
        BrokenRule("PRIORITY of four bytes", Wire.frame(2, 0, stream: 5, [0, 0, 0, 0]), .goAway(6)),
        BrokenRule("PUSH_PROMISE", Wire.frame(5, 4, stream: 5, [0, 0, 0, 2, 0x20, 0x82]), .goAway(1)),

        BrokenRule("DATA on no stream", Wire.data(0, 0, [1]), .goAway(1)),
        BrokenRule("DATA on an idle stream", Wire.data(9, 0, [1]), .goAway(1)),
        BrokenRule("DATA on a stream of the server's", Wire.data(2, 0, [1]), .goAway(1)),
        BrokenRule("DATA before HEADERS", Wire.data(5, 0, [1]), .reset(1, stream: 5), theirs: .goAway(1)),
        BrokenRule("DATA on an answered stream", Wire.data(1, 0, [1]), .nothing),
        BrokenRule("DATA on a cancelled stream", Wire.data(3, 0, [1]), .nothing),
        BrokenRule("more padding than DATA", Wire.data(5, 8, [2, 1]), .goAway(1)),
        BrokenRule("padded DATA of no length", Wire.data(5, 8), .goAway(6), theirs: .goAway(1)),
    ]
}
