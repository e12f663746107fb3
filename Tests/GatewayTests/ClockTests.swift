import Testing

@Suite("The clock of a gateway")
struct ClockTests {
    @Test("What a gateway takes for now is what it was given")
    func injected() async throws {
        try await TestStage.run(gateways: 2, clock: TestClock()) { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            try #require(try await stage.call("update", TestStage.body(id)).accepted == 2)
            stage.clock?.advance(seconds: 7140)
            let last = try await stage.call("update", TestStage.body(id), gateway: 1)
            #expect(last.accepted == 2, "\(last.text)")
            stage.clock?.advance(seconds: 61)
            for gateway in 0..<2 {
                #expect(try await stage.call("update", TestStage.body(id), gateway: gateway).code == "NOT_FOUND")
            }
        }
    }
}
