import Gateway
import GatewayAPI
import GatewayStore
import MockAPNs
import PushClient
import RedisClient
import RosterCore
import Testing
import TimeCore

@Suite("Exact counts under faults", .serialized)
struct ExactCountsTests {
    private static let count = 10_000

    /// The start tokens of the devices whose number leaves this rest when divided by 100.
    private func hex(rest: Int) -> Set<String> {
        Set(stride(from: rest, to: Self.count, by: 100).map { TestStage.hex(TestStage.startToken($0)) })
    }

    /// GOAWAY after 100 streams to the first six connections that have as many. REFUSED_STREAM every 500, 1 % 410, 0.5
    /// % 503. At first a stream limit of 1; 1 % are never answered.
    ///
    /// At least three connections come to 100 streams. A connection that ends earlier had four faults or twenty
    /// rejections, which suffice for 45 connections. Or it answered nothing for half of the stall's time, which can
    /// happen to 48 in the call's 120 seconds. Together they take 9,300 of 10,000 streams.
    private func cruelty() -> MockScript {
        var script = MockScript()
        script.streamLimit = .init(beforeFirstValidPush: 1)
        script.goAway = .init(afterStreams: 100, lastStream: .minus(20), limit: 6, linger: .seconds(8))
        script.rules = [
            MockRule(.init(every: 500), .reset(code: 7)),
            MockRule(.init(every: 200), .answer(status: 503, reason: "ServiceUnavailable")),
            MockRule(.init(tokens: hex(rest: 7)), .answer(status: 410, reason: "Unregistered")),
            MockRule(.init(tokens: hex(rest: 13)), .silence),
        ]
        return script
    }

    @Test(
        "10,000 devices: one delivery status each, no start twice to an answered token, and counts that equal the ledger"
    )
    func counts() async throws {
        try await TestStage.run(configure: {
            $0.push.pushDeadline = .seconds(6)
            $0.push.maximumConnections = 2
            $0.api.waitTimeout = .seconds(120)
        }) { (stage: TestStage) in
            try await stage.addDevices(Self.count)
            let id = try await stage.register(Self.count)
            stage.mock.setScript(cruelty())
            let start = try await stage.call("start", TestStage.body(id))
            try #require(start.status == 200, "\(start.text)")
            let silent = hex(rest: 13)
            let dead = hex(rest: 7)

            // The provider's side, by token.
            var byToken: [String: [LedgerEntry]] = [:]
            for entry in stage.pushes(.start) { byToken[entry.token, default: []].append(entry) }
            #expect(byToken.count == Self.count, "a device was never pushed to")
            var accepted = 0
            for (token, entries) in byToken {
                let answers = entries.map(\.answer)
                let final = answers.filter {
                    $0 == .answered(status: 200, reason: nil) || $0 == .answered(status: 410, reason: "Unregistered")
                }
                if silent.contains(token) {
                    #expect(final.isEmpty)
                } else {
                    #expect(final.count == 1, "\(token) got \(answers)")
                    #expect(answers.last == final.first, "sent again after its answer: \(answers)")
                    if final.first == .answered(status: 200, reason: nil) { accepted += 1 }
                    #expect((final.first == .answered(status: 200, reason: nil)) != dead.contains(token))
                }
            }

            // The reply's side.
            #expect(start.accepted == accepted)
            #expect(start.accepted == Self.count - silent.count - dead.count, "\(start.text)")
            #expect(start.failed("Unregistered") == dead.count, "\(start.text)")
            #expect(start.failed("unknown") == silent.count, "\(start.text)")

            // The store's side: a byte for each device.
            let statuses = try await statuses(stage, id)
            #expect(statuses[DeliveryStatus.startAccepted] == accepted)
            #expect(statuses[DeliveryStatus.startFailed] == dead.count)
            #expect(statuses[DeliveryStatus.startUnknown] == silent.count)
            #expect(statuses.values.reduce(0, +) == Self.count)

            let counts = stage.mock.counts()
            #expect(counts.streamLimitViolations == 0 && counts.protocolErrors == 0)
            #expect(counts.goAwaysSent >= 3 && counts.streamsReset >= 15, "\(counts)")
        }
    }

    /// Counts the devices of each delivery status in the pages in Redis.
    private func statuses(_ stage: TestStage, _ id: String) async throws -> [UInt8: Int] {
        var counts: [UInt8: Int] = [:]
        for page in 0...(Self.count / 868) {
            for status in try await stage.statusPage(id, page) where status != DeliveryStatus.absent {
                counts[status, default: 0] += 1
            }
        }
        return counts
    }
}
