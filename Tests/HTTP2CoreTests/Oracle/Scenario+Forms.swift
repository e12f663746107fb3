import HTTP2Core

extension Scenario {
    private static let body = (0..<120).map { UInt8(truncatingIfNeeded: $0 * 7) }

    private static func inBody(_ offset: Int, _ spelling: HTTP2RequestTemplate.Spelling = .verbatim) -> RequestKind {
        RequestKind(hole: .body(at: offset, spelling), body: body)
    }

    private static func window(_ size: UInt32) -> [(UInt16, UInt32)] { [(Setting.initialWindowSize, size)] }

    private static func token(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(ascii: "a") + UInt8(truncatingIfNeeded: $0 % 26) }
    }

    /// Places of tokens.
    static let holes: [Scenario] =
        [0, 60, 120].map { offset in
            Scenario(
                name: "a token in the body, before byte \(offset) of 120",
                kinds: [inBody(offset), inBody(offset, .hexadecimal)], ends: 4
            ) { exchange in
                exchange.settle()
                for kind in [0, 1, 0, 1] {
                    exchange.open(kind, token: token(40))
                    exchange.settle()
                }
                for stream in [7, 3, 1, 5] as [Int32] { exchange.server.answer(stream) }
            }
        } + [
            Scenario(
                name: "tokens of all lengths in the body", kinds: [inBody(17), inBody(17, .hexadecimal)], ends: 0,
                isShort: false
            ) { exchange in
                exchange.settle()
                for length in [0, 1, 7, 8, 9, 163, 255, 256, 1_023, 1_024] {
                    exchange.open(0, token: token(length))
                    exchange.open(1, token: token(length))
                    exchange.settle()
                }
            },
            Scenario(
                name: "a body that is the token alone",
                kinds: [RequestKind(hole: .body(at: 0, .verbatim), body: [])], ends: 2
            ) { exchange in
                exchange.settle()
                exchange.open(token: token(5))
                exchange.open(token: [])
                exchange.settle()
                for stream in [1, 3] as [Int32] { exchange.server.answer(stream) }
            },
            Scenario(
                name: "a path that goes on behind the token, which is written either way, or not at all",
                kinds: [
                    RequestKind(pathSuffix: "/x", hole: .path(.hexadecimal)),
                    RequestKind(pathSuffix: ":send", hole: .path(.verbatim)),
                    RequestKind(pathSuffix: "all", hole: .none),
                ], ends: 6
            ) { exchange in
                exchange.settle()
                for (kind, length) in [(0, 32), (1, 32), (2, 0), (2, 32), (1, 1_024), (0, 0)] {
                    exchange.open(kind, token: token(length))
                }
                exchange.settle()
                for index in 0..<6 as Range<Int32> { exchange.server.answer(index * 2 + 1) }
            },
            Scenario(
                name: "requests without a body, answered in all ways, among others with one",
                kinds: [
                    RequestKind(method: "GET", body: nil), RequestKind(method: "DELETE", hole: .none, body: nil),
                    inBody(9),
                ],
                ends: 5
            ) { exchange in
                exchange.settle()
                for kind in [0, 2, 1, 0, 0] { exchange.open(kind) }
                exchange.settle()
                exchange.server.answer(1)
                exchange.server.answer(3)
                exchange.server.answer(5, 404, body: [1, 2])
                exchange.server.reset(7, 7)
                exchange.server.answer(9, 200, body: [1, 2])
            },
        ]

    /// Windows too small for a body with a token, and requests without a body.
    static let holesAndWindows: [Scenario] =
        [0, 1, 59, 61, 100, 159].map { size in
            Scenario(
                name: "a token of 40 bytes in the body of 120, and a window of \(size)",
                kinds: [inBody(60), RequestKind(method: "GET", body: nil)], settings: window(size), ends: 4,
                isShort: size > 1
            ) { exchange in
                exchange.settle()
                for kind in [0, 1, 0, 0] { exchange.open(kind, token: token(40)) }
                exchange.settle()
                // This many bytes end within the token.
                exchange.server.widen(5, by: Int32(80))
                exchange.settle()
                exchange.server.change(window(size + 20))
                exchange.settle()
                exchange.server.change(window(400))
                exchange.settle()
                for stream in [1, 3, 5, 7] as [Int32] { exchange.server.answer(stream) }
            }
        } + [
            Scenario(
                name: "the connection's window runs out within tokens",
                kinds: [RequestKind(hole: .body(at: 2_000, .hexadecimal), body: [UInt8](repeating: 7, count: 4_000))],
                updatesWindows: false, ends: 20, isShort: false
            ) { exchange in
                exchange.settle()
                for index in 0..<20 { exchange.open(token: token(index * 50)) }
                for _ in 0..<60 {
                    exchange.settle()
                    exchange.server.widen(0, by: 1_009)
                }
                exchange.settle()
                for index in 0..<20 as Range<Int32> { exchange.server.answer(index * 2 + 1) }
            },
            Scenario(
                name: "a token that makes a body larger than a frame",
                kinds: [RequestKind(hole: .body(at: 16_000, .verbatim), body: [UInt8](repeating: 7, count: 16_384))],
                ends: 2, isShort: false
            ) { exchange in
                exchange.settle()
                exchange.open(token: [])
                exchange.open(token: token(1_000))
                exchange.settle()
                for stream in [1, 3] as [Int32] { exchange.server.answer(stream) }
            },
        ]
}
