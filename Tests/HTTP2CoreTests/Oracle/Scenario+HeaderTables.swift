extension Scenario {
    private static let many = (0..<40).map { index in
        RequestKind(
            authority: "host-\(index).example", secret: "bearer \(index)",
            extra: [
                ("apns-topic", "com.example.app\(index % 7).push-type.liveactivity"),
                ("apns-push-type", "liveactivity"), ("apns-priority", index % 2 == 0 ? "5" : "10"),
                ("x-filler", String(repeating: "f", count: index * 13)),
            ])
    }

    private static func table(_ size: UInt32) -> [(UInt16, UInt32)] { [(Setting.headerTableSize, size)] }

    private static func openSome(_ exchange: Exchange) {
        for kind in [0, 1, 0, 2, 0] { exchange.open(kind) }
        exchange.settle()
    }

    static let headerTables: [Scenario] = [
        Scenario(
            name: "the peer's table: 0, 100, 4096, with requests before and after", kinds: many, ends: 0, isShort: false
        ) {
            exchange in
            openSome(exchange)
            for size in [0, 100, 4_096, 0, 65_536, 128, 4_096] as [UInt32] {
                exchange.server.change(table(size))
                exchange.settle()
                openSome(exchange)
                openSome(exchange)
            }
        },
        Scenario(name: "the peer's table shrinks and grows between two requests", kinds: many, ends: 0, isShort: false)
        {
            exchange in
            openSome(exchange)
            for sizes in [[0, 4_096], [200, 100, 300], [4_096], [4_096, 0], [60, 4_096, 50, 150]] as [[UInt32]] {
                for size in sizes {
                    exchange.server.change(table(size))
                    exchange.settle()
                }
                openSome(exchange)
                // In one frame and in frames side by side.
                exchange.server.change(sizes.flatMap { table($0) })
                exchange.settle()
                openSome(exchange)
                for size in sizes.reversed() { exchange.server.change(table(size)) }
                exchange.settle()
                openSome(exchange)
            }
        },
        Scenario(
            name: "a peer without a table from the start", kinds: many, settings: table(0), ends: 0, isShort: false
        ) {
            exchange in
            exchange.settle()
            openSome(exchange)
        },
        Scenario(name: "many kinds of requests, so that the table evicts", kinds: many, ends: 0, isShort: false) {
            exchange in
            exchange.settle()
            for round in 0..<3 {
                for kind in 0..<many.count { exchange.open((kind * 7 + round) % many.count) }
                exchange.settle()
                for kind in 0..<4 { for _ in 0..<3 { exchange.open(kind) } }
                exchange.settle()
            }
        },
        Scenario(name: "tokens of all lengths", kinds: Array(many[..<3]), ends: 0, isShort: false) { exchange in
            exchange.settle()
            for length in 1...200 {
                let token = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + length) }
                exchange.open(length % 3, token: token)
                if length % 10 == 0 { exchange.open(0, token: [1, 2, 3, 4]) }
                exchange.settle()
            }
        },
        Scenario(name: "a token of no length, and the longest", kinds: Array(many[..<2]), ends: 0, isShort: false) {
            exchange in
            exchange.open(0, token: [])
            exchange.open(1, token: [UInt8](repeating: 0xA5, count: 1_024))
            exchange.open(0, token: [])
        },
        Scenario(
            name: "a field that is larger than the table",
            kinds: [
                RequestKind(extra: [("x-large", String(repeating: "l", count: 5_000)), ("x-after", "a")]),
                RequestKind(extra: [("x-large", String(repeating: "l", count: 3_900)), ("x-after", "a")]),
            ], ends: 0, isShort: false
        ) { exchange in
            for kind in [0, 1, 0, 1, 1, 0, 0] { exchange.open(kind) }
        },
    ]
}
