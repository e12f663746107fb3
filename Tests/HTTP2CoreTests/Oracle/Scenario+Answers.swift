extension Scenario {
    static let answers: [Scenario] = [
        Scenario(name: "plain 200s", ends: 3) { exchange in
            for _ in 0..<3 { exchange.open() }
            exchange.settle()
            for stream in [3, 1, 5] as [Int32] { exchange.server.answer(stream) }
            exchange.settle()
        },
        Scenario(
            name: "a server whose window is larger than a body and that counts one stream", settings: [(3, 1)], ends: 4
        ) {
            exchange in
            exchange.settle()
            for _ in 0..<4 { exchange.open() }
            for stream in [1, 3, 5, 7] as [Int32] {
                exchange.settle()
                exchange.server.answer(stream)
            }
        },
        Scenario(name: "200 with a body", ends: 2) { exchange in
            exchange.open()
            exchange.open()
            exchange.settle()
            exchange.server.answer(3, 200, [Field("content-length", "5")], body: Array("hello".utf8))
            exchange.server.answer(1, 200, [Field("apns-id", "x")], body: [UInt8](repeating: 7, count: 300))
        },
        Scenario(name: "200s with fields and a body, answers without one and errors, in turns", ends: 6) { exchange in
            for _ in 0..<6 { exchange.open() }
            exchange.settle()
            let fields = [
                Field("content-type", "application/json; charset=UTF-8"), Field("vary", "Origin"),
                Field("server", "ESF"), Field("cache-control", "private"), Field("content-length", "41"),
            ]
            let name = Array("{\"name\":\"projects/p/messages/0:12345678\"}".utf8)
            for stream in [1, 5] as [Int32] { exchange.server.answer(stream, 200, fields, body: name) }
            exchange.server.answer(3)
            exchange.server.answer(7, 404, fields.dropLast(), body: Array("{\"error\":{}}".utf8))
            exchange.settle()
            exchange.server.answer(11, 200, fields, body: name)
            exchange.server.answer(9, 429, [Field("retry-after", "60"), Field("vary", "Origin")])
        },
        Scenario(name: "200 with a body and trailers", ends: 1) { exchange in
            exchange.open()
            exchange.settle()
            exchange.server.answer(
                1, 200, body: Array("hello".utf8), trailers: [Field("x-sum", "1"), Field("retry-after", "9")])
        },
        Scenario(name: "trailers without a body", ends: 1) { exchange in
            exchange.open()
            exchange.settle()
            exchange.server.answer(1, 429, trailers: [Field("x-sum", "1")])
        },
        Scenario(name: "errors with a body and retry-after", ends: 4) { exchange in
            for _ in 0..<4 { exchange.open() }
            exchange.settle()
            let reason = Array("{\"reason\":\"TooManyRequests\"}".utf8)
            exchange.server.answer(1, 429, [Field("retry-after", "120"), Field("apns-id", "a-b")], body: reason)
            exchange.server.answer(3, 410, [Field("content-length", "28")], body: Array(reason.prefix(28)))
            exchange.server.answer(5, 503, [Field("retry-after", "Fri, 31 Dec 1999 23:59:59 GMT")], body: reason)
            exchange.server.answer(7, 500, body: [UInt8](repeating: 65, count: 1_500))
        },
        Scenario(name: "errors of headers alone", ends: 3) { exchange in
            for _ in 0..<3 { exchange.open() }
            exchange.settle()
            exchange.server.answer(5, 404)
            exchange.server.answer(1, 503, [Field("retry-after", "0")])
            exchange.server.answer(3, 599, [Field("retry-after", "999999999")])
        },
        Scenario(name: "interim answers before the final ones", ends: 2) { exchange in
            exchange.open()
            exchange.open()
            exchange.settle()
            for stream in [1, 3, 1] as [Int32] {
                exchange.server.inform(stream, 103)
                exchange.settle()
            }
            exchange.server.answer(1)
            exchange.server.answer(3, 400, body: Array("no".utf8))
        },
        Scenario(name: "padding on HEADERS and DATA", padding: 100, ends: 3) { exchange in
            for _ in 0..<3 { exchange.open() }
            exchange.settle()
            exchange.server.answer(1)
            exchange.server.answer(3, 200, body: Array("ok".utf8))
            exchange.server.answer(5, 400, [Field("retry-after", "5")], body: Array("{\"reason\":\"x\"}".utf8))
        },
        Scenario(name: "a header list that needs CONTINUATION", ends: 2, isShort: false) { exchange in
            exchange.open()
            exchange.open()
            exchange.settle()
            // Below the sixteen kilobytes of a list by count of section 6.5.2, and above a frame with its padding.
            exchange.server.padding = 255
            let long = String(repeating: "v", count: 16_200)
            exchange.server.answer(1, 429, [Field("x", long), Field("retry-after", "3")], body: [1, 2])
            exchange.settle()
            exchange.server.answer(3)
        },
        Scenario(name: "CONTINUATION frames by hand", ends: 1) { exchange in
            exchange.open()
            exchange.settle()
            exchange.feed(Wire.headers(1, 0, [0x20, 0x08]))
            exchange.feed(Wire.continuation(1, 0, []) + Wire.continuation(1, 0, [0x03, 0x34]))
            exchange.feed(Wire.continuation(1, 4, [0x32, 0x39] + Wire.field("retry-after", "7")))
            exchange.feed(Wire.data(1, 0, [65]) + Wire.data(1, 1))
        },
        Scenario(name: "PING both ways", ends: 1) { exchange in
            exchange.client.ping()
            exchange.open()
            exchange.server.ping()
            exchange.settle()
            exchange.server.ping()
            exchange.client.ping()
            exchange.settle()
            exchange.server.answer(1)
        },
        Scenario(name: "unknown frames and settings", ends: 1) { exchange in
            exchange.open()
            exchange.settle()
            exchange.feed(Wire.frame(0xFA, 0xFF, stream: 1, [1, 2, 3]) + Wire.frame(0x77, 0, []))
            exchange.server.change([(0x0F0F, 17)])
            exchange.settle()
            exchange.feed(Wire.frame(10, 0, stream: 0, [0, 1, 2, 3]) + Wire.frame(2, 0, stream: 1, [0, 0, 0, 0, 9]))
            exchange.server.answer(1)
        },
        Scenario(name: "the answer to a stream that was cancelled", ends: 1) { exchange in
            exchange.open()
            exchange.open()
            exchange.settle()
            exchange.client.cancel(tag: 0)
            // On its way when the cancellation comes.
            exchange.feed(Wire.headers(1, 4, [0x20] + Wire.status("429")) + Wire.data(1, 1, [1, 2, 3]))
            exchange.settle()
            exchange.server.answer(3)
        },
    ]
}
