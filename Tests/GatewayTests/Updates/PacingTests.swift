import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

@Suite("Updates that come fast", .serialized)
struct PacingTests {
    /// Sends numbered updates, one after each pause, and waits for the end of all of them.
    private func send(_ count: Int, _ id: String, pause: Duration, _ stage: TestStage) async throws {
        var broadcasts: [UniqueID] = []
        for number in 1...count {
            let body = TestStage.body(id, number: number)
            broadcasts.append(try await stage.begin("update", body, gateway: number % stage.gateways.count))
            try await Task.sleep(for: pause)
        }
        for broadcast in broadcasts {
            let ended = try await stage.ended(broadcast)
            #expect(["done", "superseded"].contains(ended["state"]?.string ?? ""), "\(ended.text)")
        }
    }

    @Test("A hundred updates in two seconds: no timestamp is more than two seconds ahead, and the newest state is last")
    func timestamps() async throws {
        try await TestStage.run(gateways: 2, configure: { $0.rules.minimumInterval = .seconds(1) }) { stage in
            let id = try await stage.started(50)
            try await stage.syncAll(0..<50, id)
            try await send(100, id, pause: .milliseconds(15), stage)
            let updates = stage.pushes(.update)
            for push in updates {
                let timestamp = try #require(push.aps("timestamp")?.int64)
                #expect(timestamp - Int64(push.time / 1000) <= 2)
            }
            let devices = Dictionary(grouping: updates, by: \.token)
            #expect(devices.count == 50)
            for pushes in devices.values {
                let times = pushes.compactMap { $0.aps("timestamp")?.int64 }
                #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
                #expect(pushes.last?.contentNumber == 100)
                // Two, and then one a second.
                #expect(pushes.count >= 3 && pushes.count < 50)
            }
        }
    }

    @Test(
        "Updates that come faster than a fan-out, from one gateway or two: nobody waits for longer than two fan-outs",
        arguments: [1, 2])
    func starvation(gateways: Int) async throws {
        let count = 200
        try await TestStage.run(
            gateways: gateways,
            configure: {
                $0.push.maximumConnections = 1
                $0.rules.minimumInterval = .milliseconds(500)
            }
        ) { stage in
            let id = try await stage.started(count)
            try await stage.syncAll(0..<count, id)
            // A connection takes a hundred pushes at once.
            stage.mock.setScript(.slow(.milliseconds(750), streams: 100))
            try await send(12, id, pause: .milliseconds(500), stage)
            let updates = stage.pushes(.update)
            // Most were stopped before they had come to all.
            #expect(updates.count < 11 * count && updates.count > 2 * count)
            var last: [String: Int] = [:]
            var longest = 0
            for (place, push) in updates.enumerated() {
                longest = max(longest, place - last[push.token, default: 0])
                last[push.token] = place
            }
            #expect(last.count == count)
            // Between two pushes to the same device lie as many as two fan-outs have, and what was on its way.
            #expect(longest <= 2 * count + 100)
            for (_, pushes) in Dictionary(grouping: updates, by: \.token) {
                let numbers = pushes.compactMap(\.contentNumber)
                #expect(numbers == numbers.sorted() && numbers.last == 12)
            }
        }
    }
}
