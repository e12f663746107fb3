extension Scenario {
    private static func body(_ count: Int) -> RequestKind {
        RequestKind(body: (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
    }

    private static func window(_ size: UInt32) -> [(UInt16, UInt32)] { [(Setting.initialWindowSize, size)] }

    static let windows: [Scenario] =
        [0, 1, 100].map { size in
            Scenario(
                name: "streams that begin with a window of \(size)", kinds: [body(250)], settings: window(size),
                ends: 3,
                isShort: size != 1
            ) { exchange in
                exchange.settle()
                for _ in 0..<3 { exchange.open() }
                exchange.settle()
                exchange.server.widen(3, by: 400)
                exchange.settle()
                exchange.server.answer(3)
                exchange.settle()
                exchange.server.change(window(300))
                exchange.settle()
                exchange.server.answer(1)
                exchange.server.answer(5, 400, body: [1])
            }
        } + [
            Scenario(
                name: "a window of 0 from the start, seen after the requests", kinds: [body(250)], settings: window(0),
                ends: 1
            ) {
                exchange in
                exchange.open()
                exchange.settle()
                exchange.server.change(window(300))
                exchange.settle()
                exchange.server.answer(1)
            },
            Scenario(
                name: "windows that are lowered below zero and raised again", kinds: [body(1_000)],
                settings: window(600),
                updatesWindows: false, ends: 3
            ) { exchange in
                exchange.settle()
                for _ in 0..<3 { exchange.open() }
                exchange.settle()
                for size in [100, 0, 500, 599, 601, 650, 10, 700] as [UInt32] {
                    exchange.server.change(window(size))
                    exchange.settle()
                }
                exchange.server.widen(3, by: 300)
                exchange.settle()
                exchange.server.change([(Setting.initialWindowSize, 5), (Setting.initialWindowSize, 1_000)])
                exchange.settle()
                for stream in [1, 3, 5] as [Int32] { exchange.server.answer(stream) }
            },
            Scenario(
                name: "the connection's window runs out", kinds: [body(4_000), body(7)], updatesWindows: false,
                ends: 40, isShort: false
            ) { exchange in
                exchange.settle()
                for index in 0..<40 { exchange.open(index % 8 == 7 ? 1 : 0) }
                for _ in 0..<10 {
                    exchange.settle()
                    exchange.server.widen(0, by: 20_011)
                }
                exchange.settle()
                for index in 0..<40 as Range<Int32> { exchange.server.answer(index * 2 + 1) }
            },
            Scenario(name: "a body larger than a frame", kinds: [body(60_000)], ends: 2, isShort: false) { exchange in
                exchange.open()
                exchange.settle()
                exchange.server.change([(Setting.maximumFrameSize, 20_000)])
                exchange.settle()
                exchange.open()
                exchange.settle()
                exchange.server.answer(1)
                exchange.server.answer(3)
            },
            Scenario(
                name: "a request is cancelled while its body waits", kinds: [body(250)], settings: window(100), ends: 1
            ) { exchange in
                exchange.settle()
                exchange.open()
                exchange.open()
                exchange.settle()
                exchange.client.cancel(tag: 0)
                exchange.settle()
                exchange.server.change(window(1_000))
                exchange.settle()
                exchange.server.answer(3)
            },
            Scenario(
                name: "streams end by RST_STREAM and GOAWAY while their bodies wait", kinds: [body(250)],
                settings: window(100), ends: 4
            ) { exchange in
                exchange.settle()
                for _ in 0..<4 { exchange.open() }
                exchange.settle()
                exchange.server.reset(3, 7)
                exchange.settle()
                exchange.feed(Wire.goAway(5))
                exchange.settle()
                exchange.server.change(window(1_000))
                exchange.settle()
                exchange.server.answer(1)
                exchange.server.answer(5)
            },
        ]
}
