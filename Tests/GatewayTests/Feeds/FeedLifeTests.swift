import FeedCore
import Feeds
import Gateway
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import MockFeed
import NIOHTTP1
import ScrapedMetrics
import Testing
import TimeCore

@Suite("Feeds of topics", .serialized)
struct FeedLifeTests {
    @Test("A feed over TLS announces a topic, takes it live, updates and ends it; what it says again is not pushed")
    func life() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            try await stage.withFeed(usesTLS: true) { mock, _ in
                mock.set(MockFeedScript(topics: "[\(TestStage.element("upcoming"))]"))
                try await stage.eventually { try await stage.topic()["state"]?.string == "upcoming" }
                try await stage.follow(0..<2, "m1")
                mock.set(MockFeedScript(topics: "[\(TestStage.element("live"))]"))
                try await stage.eventually { stage.pushes(.start).count == 2 }
                let id = try #require(try await stage.topic()["activity_id"]?.string)
                for number in 0..<2 { #expect(try await stage.sync(number, id).status == 200) }
                let asked = mock.requestCount
                try await stage.eventually { mock.requestCount >= asked + 3 }
                #expect(stage.pushes(.update).isEmpty)
                mock.set(MockFeedScript(topics: "[\(TestStage.element("live", score: 1))]"))
                try await stage.eventually { stage.pushes(.update).count == 2 }
                mock.set(MockFeedScript(topics: "[\(TestStage.element("ended", score: 2))]"))
                try await stage.eventually { stage.pushes(.end).count == 2 }
                #expect(stage.pushes(.start).count == 2 && stage.pushes(.update).count == 2)
                #expect(try await stage.died(id) == .matchEnd)
                #expect(mock.requests.contains { $0.status == 304 })
            }
        }
    }

    @Test("An answer of 204 says nothing new, and an element that can never be taken is refused once")
    func oddities() async throws {
        try await TestStage.run { stage in
            try await stage.withFeed { mock, _ in
                mock.set(MockFeedScript(topics: "[\(TestStage.element("upcoming"))]"))
                try await stage.eventually { try await stage.topic()["state"]?.string == "upcoming" }
                var fault = MockFeedFault(.status)
                fault.status = 204
                let asked = mock.requestCount
                mock.set(fault: fault)
                try await stage.eventually { mock.requestCount >= asked + 3 }
                #expect(try await stage.feedState(mock).failures == 0)
                #expect(try await stage.feedState(mock).topics == 1)
                mock.set(fault: nil)
                let wrong = TestStage.element("upcoming", named: "m2", more: #","sequnce":1"#)
                let key = #","options":{"activity_id_attribute":"m"}"#
                let taken = TestStage.element("upcoming", named: "m4", more: key)
                mock.set(MockFeedScript(topics: "[\(wrong),\(taken),\(TestStage.element("upcoming", named: "m3"))]"))
                try await stage.eventually { try await stage.topic(named: "m3").status == 200 }
                for name in ["m2", "m4"] { #expect(try await stage.topic(named: name).status == 404) }
                #expect(try await stage.feedState(mock).refused == 2)
                // Its tag is sent, because reading it again would change nothing.
                try await stage.eventually { mock.requests.last?.status == 304 }
            }
        }
    }

    @Test("The control paths of a feed's mock answer to loopback names only")
    func control() async throws {
        try await TestStage.run { stage in
            try await stage.withFeed { mock, _ in
                let digits = mock.url.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
                let port = try #require(Int(digits))
                for (host, status) in [("localhost:1", 200), ("attacker.example", 421), ("", 421)] {
                    let answer = try await DispatchThread.value {
                        let client = try RawClient(port: port)
                        client.send("GET /mock/counts HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                        return client.read(until: "\r\n")
                    }
                    #expect(answer?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(host): \(answer ?? "nothing")")
                }
            }
        }
    }

    @Test("A feed that is away, or names a topic no more, in mid-match ends nothing; when it is back it goes on")
    func away() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            try await stage.withFeed { mock, gateways in
                mock.set(MockFeedScript(topics: "[\(TestStage.element("live"))]"))
                try await stage.eventually { try await stage.topic()["state"]?.string == "live" }
                try await stage.follow(0..<1, "m1")
                try await stage.eventually { stage.pushes(.start).count == 1 }
                for kind in MockFeedFault.Kind.allCases where kind != .delay && kind != .stall {
                    var fault = MockFeedFault(kind)
                    fault.bytes = 3_000_000
                    let asked = mock.requestCount
                    mock.set(fault: fault)
                    try await stage.eventually("\(kind)") { mock.requestCount >= asked + 2 }
                    #expect(try await stage.feedState(mock).failingSince != nil, "\(kind)")
                    #expect(try await stage.topic()["state"]?.string == "live", "\(kind)")
                    mock.set(fault: nil)
                    try await stage.eventually("\(kind)") { try await stage.feedState(mock).failures == 0 }
                }
                // Not named any more.
                mock.set(MockFeedScript(topics: "[]"))
                try await stage.eventually { try await stage.feedState(mock).topics == 0 }
                #expect(try await stage.topic()["state"]?.string == "live")
                #expect(stage.pushes(.end).isEmpty && stage.pushes(.start).count == 1)
                let page = try await stage.metrics(port: gateways[0].port)
                let labels = ["feed": "0", "host": "127.0.0.1:\(mock.port)"]
                for failure in ["status_5xx", "malformed", "too_large", "connection"] {
                    let count = page.value(
                        "fanfare_feed_polls_total", labels.merging(["result": failure]) { $1 })
                    #expect((count ?? 0) >= 1, "\(failure)")
                }
                #expect(page.value("fanfare_feed_failures", labels) == 0)
                #expect((page.value("fanfare_feed_last_success_timestamp_seconds", labels) ?? 0) > 1_700_000_000)
            }
        }
    }

    @Test("One of two gateways polls; when it is stopped the other one goes on, with the tag that it left")
    func twoGateways() async throws {
        try await TestStage.run { stage in
            try await stage.withFeed(gateways: 2) { mock, gateways in
                mock.set(MockFeedScript(topics: "[\(TestStage.element("upcoming"))]"))
                try await stage.eventually { mock.requests.contains { $0.status == 304 } }
                func polls(_ index: Int) async throws -> Bool {
                    try await stage.metrics(port: gateways[index].port).value(
                        "fanfare_feed_polled_here", ["feed": "0", "host": "127.0.0.1:\(mock.port)"]) == 1
                }
                let (first, second) = (try await polls(0), try await polls(1))
                #expect(first != second)
                let asked = mock.requestCount
                await gateways[first ? 0 : 1].stop()
                try await stage.eventually { try await polls(first ? 1 : 0) && mock.requestCount >= asked + 3 }
                // Only the first request of all was for the whole.
                #expect(mock.requests.dropFirst().allSatisfy { !$0.headers["if-none-match"].isEmpty })
            }
        }
    }

    @Test("When the gateway that polls is killed its lease runs out, and another one goes on")
    func killed() async throws {
        try await TestStage.run { stage in
            // The port is known only now, so the state that a killed gateway leaves is written for this mock.
            let mock = try await MockFeed.start(MockFeed.Options())
            let id = FeedID(tenantID: stage.tenant.tenantID, url: mock.url)
            let dead = UniqueID.random()
            let leased = MonotonicTime.now()
            let lease = try await stage.setup.store.feeds.lease(id, holder: dead, for: .seconds(2))
            #expect(lease.isOwn)
            var state = FeedState()
            state.tag = "\"left\""
            #expect(try await stage.setup.store.feeds.note(state, after: lease.record, of: id, holder: dead))
            mock.set(MockFeedScript(topics: "[\(TestStage.element("upcoming"))]"))
            try await stage.withFeed({
                $0.url = mock.url; $0.caFile = nil
            }) { _, _ in
                try await stage.eventually { try await stage.topic().status == 200 }
                let first = try #require(mock.requests.first)
                #expect(first.headers["if-none-match"] == ["\"left\""])
                // Not before the lease has run out.
                #expect(first.time - leased >= .milliseconds(1950))
            }
            await mock.stop()
        }
    }

    @Test("A bad element is passed over and told once, the others are taken; nothing of their content is told")
    func badElements() async throws {
        let log = CapturedLog()
        try await TestStage.run { stage in
            try await stage.withFeed(logger: log.logger(.info)) { mock, gateways in
                let bad =
                    #"{"topic":"m2","activity_type":"MatchAttributes","state":"paused","content":{"content_state":{"s":"secret"}}}"#
                let list = { (score: Int) in
                    "[\(TestStage.element("upcoming", score: score)),\(bad),7,{\"topic\":\"a b\"}]"
                }
                mock.set(MockFeedScript(topics: list(0)))
                try await stage.eventually { try await stage.topic().status == 200 }
                mock.set(MockFeedScript(topics: list(1)))
                let labels = ["feed": "0", "host": "127.0.0.1:\(mock.port)"]
                try await stage.eventually {
                    try await stage.metrics(port: gateways[0].port).value(
                        "fanfare_feed_elements_total", labels.merging(["result": "refused"]) { $1 }) == 6
                }
                let page = try await stage.metrics(port: gateways[0].port)
                #expect(page.value("fanfare_feed_topics", labels) == 4)
                #expect(page.value("fanfare_feed_topics_refused", labels) == 3)
                let told = try log.read().filter { $0.message == "feed element skipped" }
                #expect(told.map { $0.metadata["topic"] } == ["m2", "-", "-"], "\(told)")
                #expect(told.first?.metadata["reason"] == "state must be upcoming, live or ended")
                #expect(!log.lines.contains { $0.contains("secret") })
                // Nothing that could be taken later, so it is not asked for again.
                #expect(try await stage.feedState(mock).tag != nil)
            }
        }
    }

    @Test(
        "An element that the topic's state rules out is taken when the state allows it, without a new word of the feed")
    func laterElements() async throws {
        try await TestStage.run { stage in
            try await stage.withFeed { mock, _ in
                mock.set(MockFeedScript(topics: "[\(TestStage.element("live"))]"))
                try await stage.eventually { try await stage.topic()["state"]?.string == "live" }
                mock.set(MockFeedScript(topics: "[\(TestStage.element("upcoming", score: 3))]"))
                try await stage.eventually { try await stage.feedState(mock).refused == 1 }
                #expect(try await stage.topic()["state"]?.string == "live")
                // The owner ends it by the API.
                let end = try await stage.send(
                    "PUT", "/api/v1/topics/m1", #"{"activity_type":"MatchAttributes","state":"ended"}"#,
                    headers: ["X-Api-Key": stage.tenant.apiKey, "Content-Type": "application/json"])
                #expect(end.status == 200, "\(end.text)")
                try await stage.eventually { try await stage.topic()["state"]?.string == "upcoming" }
            }
        }
    }

    @Test("A feed that fails for five minutes is a warning of readiness, and one line in the log; then another one")
    func warning() async throws {
        let (clock, log) = (TestClock(), CapturedLog())
        try await TestStage.run(clock: clock) { stage in
            try await stage.withFeed(logger: log.logger(.info)) { mock, gateways in
                mock.set(fault: MockFeedFault(.status))
                try await stage.eventually { try await stage.feedState(mock).failures == 1 }
                func ready() async throws -> TestStage.Answer {
                    try await stage.ready(gateways[0])
                }
                #expect(try await !ready().text.contains("feed_failing"))
                clock.advance(seconds: 301)
                try await stage.eventually { try await stage.feedState(mock).failures == 2 }
                try await stage.eventually { try await ready().text.contains("feed_failing") }
                #expect(try await ready().status == 200)
                mock.set(fault: nil)
                clock.advance(seconds: 301)
                try await stage.eventually { try await stage.feedState(mock).failures == 0 }
                try await stage.eventually { try await !ready().text.contains("feed_failing") }
                let told = try log.read()
                #expect(
                    told.filter { $0.metadata["error"]?.hasPrefix("the feed answers with a server error") == true }
                        .count == 1,
                    "\(told)")
                #expect(told.filter { $0.message == "topic feed available" }.count == 1)
            }
        }
    }

    @Test("Of a tenant that is switched off nothing is polled")
    func disabledTenant() async throws {
        try await TestStage.run { stage in
            _ = try await stage.setup.store.tenants.setTenant(stage.tenant.tenantID, enabled: false)
            try await stage.withFeed { mock, _ in
                try await stage.eventually { try await stage.feedState(mock).failure == .tenant }
                #expect(mock.requestCount == 0)
                _ = try await stage.setup.store.tenants.setTenant(stage.tenant.tenantID, enabled: true)
                mock.set(MockFeedScript(topics: "[\(TestStage.element("upcoming"))]"))
                try await stage.eventually { try await stage.topic().status == 200 }
            }
        }
    }
}
