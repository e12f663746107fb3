import Testing

/// A script that runs against the engine and against libnghttp2's client.
struct Scenario: Sendable, CustomTestStringConvertible {
    var name: String
    var kinds: [RequestKind] = [RequestKind()]
    var settings: [(UInt16, UInt32)] = []
    var updatesWindows = true
    var padding = 0
    var nextStream: UInt32 = 1
    /// The number of requests with an outcome at the end, so that no scenario passes without effect.
    var ends: Int
    /// True to try every single cut, not only pieces of a few sizes.
    var isShort = true
    var script: @Sendable (Exchange) -> Void

    var testDescription: String { name }

    func run(_ client: any Client, _ cut: Cut) -> Exchange {
        let server = OracleServer(settings: settings, updatesWindows: updatesWindows)
        server.padding = padding
        let exchange = Exchange(client, server, cut)
        script(exchange)
        exchange.settle()
        return exchange
    }

    func runEngine(_ cut: Cut = .whole) throws -> Exchange {
        run(try EngineClient(kinds, nextStream: nextStream), cut)
    }

    func runOracle(_ cut: Cut = .whole) -> Exchange { run(OracleClient(kinds, nextStream: nextStream), cut) }
}

/// Setting identifiers of RFC 9113, section 6.5.2.
enum Setting {
    static let headerTableSize: UInt16 = 1
    static let maximumConcurrentStreams: UInt16 = 3
    static let initialWindowSize: UInt16 = 4
    static let maximumFrameSize: UInt16 = 5
}

@Suite("The engine and libnghttp2's client, against libnghttp2's server")
struct OracleTests {
    static let all =
        Scenario.answers + Scenario.refusals + Scenario.headerTables + Scenario.windows + Scenario.holes
        + Scenario.holesAndWindows

    @Test("agree on what the server saw and how each request ended, wherever the bytes are cut", arguments: all)
    func agreement(_ scenario: Scenario) throws {
        let expected = scenario.runOracle().report
        let whole = try scenario.runEngine()
        #expect(whole.report == expected)
        #expect(expected.outcomes.count == scenario.ends)
        #expect(expected.complaints == [])
        // Single bytes are left out, because libnghttp2 counts a CONTINUATION frame once for each piece.
        #expect(scenario.runOracle(.every(64)).report == expected)
        for size in [1, 2, 3, 7, 9, 10, 64] {
            #expect(try scenario.runEngine(.every(size)).report == expected, "pieces of \(size)")
        }
        guard scenario.isShort else { return }
        for offset in 1..<whole.receivedCount {
            let report = try scenario.runEngine(.at(offset)).report
            if report != expected { Issue.record("cut at \(offset): \(report)") }
        }
    }
}
