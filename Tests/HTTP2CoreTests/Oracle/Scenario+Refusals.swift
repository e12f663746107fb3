extension Scenario {
    static let refusals: [Scenario] = [
        Scenario(name: "RST_STREAM and REFUSED_STREAM", ends: 4) { exchange in
            for _ in 0..<4 { exchange.open() }
            exchange.settle()
            exchange.server.reset(3, 7)
            exchange.server.reset(1, 2)
            exchange.server.reset(7, 0xFFFF_FFFF)
            exchange.server.answer(5)
        },
        Scenario(name: "RST_STREAM in the middle of an answer", ends: 2) { exchange in
            exchange.open()
            exchange.open()
            exchange.settle()
            exchange.feed(Wire.headers(1, 4, [0x20] + Wire.status("500")) + Wire.data(1, 0, [1]) + Wire.reset(1, 8))
            exchange.server.answer(3)
        },
        Scenario(name: "GOAWAY that names all streams", ends: 2) { exchange in
            exchange.open()
            exchange.open()
            exchange.settle()
            exchange.server.goAway(3)
            exchange.settle()
            exchange.server.answer(1)
            exchange.server.answer(3, 410, body: Array("{}".utf8))
        },
        Scenario(name: "GOAWAY twice: the largest identifier, then the last", ends: 3) { exchange in
            for _ in 0..<3 { exchange.open() }
            exchange.settle()
            exchange.server.announceShutdown()
            exchange.settle()
            exchange.server.answer(3)
            exchange.settle()
            exchange.feed(Wire.goAway(3, 0))
            exchange.server.answer(1)
        },
        Scenario(name: "GOAWAY between the streams, with an error", ends: 5) { exchange in
            for _ in 0..<5 { exchange.open() }
            exchange.settle()
            exchange.feed(Wire.goAway(5, 11))
            for stream in [1, 3, 5] as [Int32] { exchange.server.answer(stream, 503) }
        },
        Scenario(name: "the peer allows fewer streams than are open", ends: 6) { exchange in
            for _ in 0..<4 { exchange.open() }
            exchange.settle()
            exchange.server.change([(3, 2)])
            exchange.settle()
            for _ in 0..<2 { exchange.open() }
            exchange.settle()
            for stream in [1, 3, 5, 7, 9, 11] as [Int32] {
                exchange.server.answer(stream)
                exchange.settle()
            }
        },
        Scenario(name: "the peer allows no streams, then some", settings: [(3, 0)], ends: 2) { exchange in
            exchange.settle()
            exchange.open()
            exchange.open()
            exchange.settle()
            exchange.server.change([(3, 1)])
            exchange.settle()
            exchange.server.answer(1)
            exchange.settle()
            exchange.server.answer(3)
        },
        Scenario(name: "the last streams that there are", nextStream: 0x7FFF_FFFD, ends: 2) { exchange in
            exchange.open()
            exchange.open()
            exchange.settle()
            exchange.open()
            exchange.settle()
            exchange.server.answer(0x7FFF_FFFD)
            exchange.server.answer(0x7FFF_FFFF, 400, body: [1])
        },
        Scenario(name: "many streams, answered in another order", ends: 300, isShort: false) { exchange in
            exchange.settle()
            for _ in 0..<300 { exchange.open() }
            exchange.settle()
            for index in 0..<300 as Range<Int32> {
                exchange.server.answer(index * 77 % 300 * 2 + 1, index % 3 == 0 ? 200 : 429)
            }
        },
    ]
}
