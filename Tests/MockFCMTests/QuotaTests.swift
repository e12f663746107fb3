import TestHTTP2Client
import Testing
import TimeCore

@testable import MockFCM

@Suite("Quotas")
struct QuotaTests {
    @Test("The project's bucket is refilled whole at the minute's end", arguments: ["seconds", "date", "none"])
    func minute(retryAfter: String) async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        let token = try await stage.accessToken(client)
        try stage.script(#"{"quota": {"messages_per_minute": 3, "retry_after": "\#(retryAfter)"}}"#)
        stage.clock.advance(milliseconds: 20_500)
        // One that is refused is one too.
        #expect(await client.send(stage.request(token, "{}")).status == 400)
        for _ in 0..<2 { #expect(await client.send(stage.message(token)).status == 200) }
        let answer = try #require(await client.send(stage.message(token)).response)
        #expect(answer.status == 429 && answer.text("status") == "RESOURCE_EXHAUSTED")
        #expect(answer.text("errorCode") == "QUOTA_EXCEEDED" && answer.text("subject") == "project:fanfare-mock")
        let expected = ["seconds": "40", "date": "Fri, 15 Jan 2027 08:01:00 GMT"]
        #expect(answer.headers["retry-after"] == expected[retryAfter])
        stage.clock.advance(milliseconds: 39_499)
        #expect(await client.send(stage.message(token)).status == 429)
        stage.clock.advance(milliseconds: 1)
        for _ in 0..<3 { #expect(await client.send(stage.message(token)).status == 200) }
        #expect(await client.send(stage.message(token)).status == 429)
    }

    @Test("A device that is sent too much is named, and others are served")
    func device() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        let token = try await stage.accessToken(client)
        try stage.script(#"{"devices": {"messages_per_minute": 2}}"#)
        for _ in 0..<2 { #expect(await client.send(stage.message(token)).status == 200) }
        let answer = try #require(await client.send(stage.message(token)).response)
        #expect(answer.status == 429 && answer.text("subject") == "device:" + TestFCM.device)
        #expect(await client.send(stage.message(token, to: TestFCM.device + "2")).status == 200)
        stage.clock.advance(milliseconds: 60_000)
        #expect(await client.send(stage.message(token)).status == 200)
    }

    @Test("Collapsible messages come in bursts of 20, and one more every three minutes")
    func collapsible() {
        var rates = DeviceRates(MockFCM.DeviceLimits())
        func take(_ device: Int, _ now: Int64) -> DeviceRates.Verdict {
            rates.take(device, collapseKey: 7, now: now)
        }
        #expect((0..<20).map { _ in take(1, 0) } == [DeviceRates.Verdict](repeating: .fine, count: 20))
        #expect(take(1, 0) == .tooMany)
        #expect(take(2, 0) == .fine)
        let plain = rates.take(1, collapseKey: nil, now: 0)
        #expect(plain == .fine)
        #expect([179_999, 180_000, 180_000].map { take(1, $0) } == [.tooMany, .fine, .tooMany])
    }

    @Test("A fifth collapse key of a device is counted, and taken as the real provider does")
    func keys() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        let token = try await stage.accessToken(client)
        for key in ["a", "b", "c", "d", "a", "e", "e", "f"] {
            let body = #"{"message":{"token":"\#(TestFCM.device)","android":{"collapse_key":"\#(key)"}}}"#
            #expect(await client.send(stage.request(token, body)).status == 200)
        }
        #expect(stage.mock.counts().surplusCollapseKeys == 2)
    }

    @Test("240 messages a minute reach a device, 600,000 a project")
    func defaults() {
        var rates = DeviceRates(MockFCM.DeviceLimits())
        var taken = 0
        for _ in 0..<300 where rates.take(1, collapseKey: nil, now: 59_999) == .fine { taken += 1 }
        #expect(taken == 240)
        var bucket = MinuteBucket(capacity: MockFCM.Quota().messagesPerMinute)
        taken = 0
        for _ in 0..<600_100 where bucket.take(now: 119_999) { taken += 1 }
        #expect(taken == 600_000)
        let isRefilled = bucket.take(now: 120_000)
        #expect(isRefilled)
        #expect(MinuteBucket.secondsToRefill(now: 120_000) == 60)
        #expect(MinuteBucket.secondsToRefill(now: 179_999) == 1)
    }
}
