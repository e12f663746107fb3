import Delivery
import LiveActivity
import Logging
import MockAPNs
import NIOCore
import NIOEmbedded
import Reactor
import RedisClient
import RosterCore
import ScrapedMetrics
import TestStore
import Testing
import TimeCore

@testable import Gateway
@testable import GatewayAPI
@testable import GatewayStore

@Suite(
    "Updates that are answered in front of the router", .serialized,
    .disabled(if: StoreBackend.isCluster, "a cluster has the router answer all; the run without a cluster has it"))
struct DirectUpdateTests {
    /// An activity of a few devices whose key and size the gateway knows.
    private func known(_ stage: TestStage, _ count: Int = 1) async throws -> String {
        let id = try await stage.started(count)
        try await stage.syncAll(0..<count, id)
        #expect(try await stage.call("update", TestStage.body(id)).accepted == count)
        // Beside an update that is under way the router answers the next one.
        try await stage.settled()
        return id
    }

    private func answered(_ stage: TestStage) -> Int { stage.gateways[0].updates.answered }

    @Test("Direct updates have the same answers, counts and log fields as routed ones")
    func likeTheRouters() async throws {
        let log = CapturedLog()
        try await TestStage.run(logger: log.logger(.info)) { stage in
            let id = try await known(stage, 3)
            let before = answered(stage)
            let direct = try await stage.call("update", TestStage.body(id), headers: ["X-Request-Id": "direct"])
            #expect(answered(stage) == before + 1)
            let routed = try await stage.call(
                "update", TestStage.body(id), headers: ["X-Request-Id": "routed", "Prefer": "wait=1"])
            #expect(answered(stage) == before + 1)
            #expect(direct.status == 200 && routed.status == 200 && direct.accepted == 3)
            let (names, others) = (Set(direct.headers.keys), Set(routed.headers.keys))
            #expect(names == others, "\(names.symmetricDifference(others))")
            for name in ["content-type", "x-ratelimit-limit"] {
                #expect(direct.headers[name] == routed.headers[name], "\(name)")
            }
            #expect(direct.headers["x-request-id"] == "direct")
            let left = [direct, routed].compactMap { $0.headers["x-ratelimit-remaining"].flatMap { Int($0) } }
            #expect(left.count == 2 && left[0] == left[1] + 1)
            for name in ["status", "sessions_triggered", "skipped"] {
                #expect(direct[name]?.string == routed[name]?.string && direct[name]?.int64 == routed[name]?.int64)
            }
            #expect(direct["updates_this_hour"]?.int64 == 2 && routed["updates_this_hour"]?.int64 == 3)
            #expect(direct["broadcast_id"] != nil)
            let page = try await stage.metrics(finished: 4)
            #expect(TestStage.requests(page, "update", 200) == 3)
            #expect(page.value("fanfare_http_requests_in_progress") == 1)

            for message in ["request", "broadcast finished"] {
                func fields(_ request: String) throws -> Set<String> {
                    let line = try #require(
                        try log.read().first { $0.message == message && $0.metadata["request_id"] == request },
                        "\(message) of \(request)")
                    let who = ["actor", "address", "object"].map { line.metadata[$0] ?? "" }
                    return Set(line.metadata.keys).union(who + [line.level])
                }
                #expect(try fields("direct") == fields("routed"), "\(message)")
            }
        }
    }

    @Test("The push has the content byte for byte, and the broadcast reads like any other")
    func push() async throws {
        try await TestStage.run { stage in
            let id = try await known(stage)
            let content = #"{"content_state":{"stops" :  7, "é":"\u00e9"}}"#
            let before = answered(stage)
            let expiration = WallTime.now().seconds + 900
            let options = """
                "options":{"expiration":\(expiration),"priority":10,"stale_date":4000000001,\
                "dismissal_date":4000000002,"relevance_score":0.50}
                """
            let answer = try await stage.call("update", TestStage.body(id, content: content, more: options))
            #expect(answered(stage) == before + 1 && answer.accepted == 1)
            let push = try #require(stage.pushes(.update).last)
            #expect(push.header("apns-priority") == "10" && push.header("apns-expiration") == "\(expiration)")
            #expect(push.aps("stale-date")?.int64 == 4_000_000_001)
            #expect(push.aps("dismissal-date")?.int64 == 4_000_000_002 && push.aps("relevance-score")?.text == "0.50")
            #expect(String(decoding: push.payload, as: UTF8.self).contains(#"{"stops" :  7, "é":"\u00e9"}"#))
            let record = try await stage.read(
                "/api/v1/live-activity/broadcasts/\(answer["broadcast_id"]?.string ?? "")")
            #expect(record.status == 200 && record["state"]?.string == "done" && record["accepted"]?.int64 == 1)
        }
    }

    @Test("Requests for more than an update to all go to the router")
    func others() async throws {
        try await TestStage.run { stage in
            let id = try await known(stage, 2)
            let before = answered(stage)
            let target = #""target_devices":[\#(TestStage.targets([1]))]"#
            #expect(try await stage.call("update", TestStage.body(id, more: target)).accepted == 1)
            #expect(try await stage.call("update", "{").code == "BAD_REQUEST")
            #expect(try await stage.call("update", TestStage.body(UniqueID.random().description)).code == "NOT_FOUND")
            let wrong = TestStage.body(id).replacing(TestStage.type, with: "Other")
            #expect(try await stage.call("update", wrong).code == "ACTIVITY_TYPE_MISMATCH")
            let headers = ["Idempotency-Key": "once"]
            let first = try await stage.call("update", TestStage.body(id), headers: headers)
            let second = try await stage.call("update", TestStage.body(id), headers: headers)
            #expect(first.accepted == 2 && second["broadcast_id"]?.string == first["broadcast_id"]?.string)
            let later = try await stage.call("update", TestStage.body(id), headers: ["Prefer": "respond-async"])
            #expect(later.status == 202)
            #expect(answered(stage) == before)
            try await stage.settled()
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 2)
            #expect(answered(stage) == before + 1)
        }
    }

    @Test("An update that finds no token is refused, also when the activity needs no read")
    func gate() async throws {
        try await TestStage.run { stage in
            let id = try await known(stage)
            let activity = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activity))
            _ = try await stage.store.roster.run(
                stage.store.roster.clearUpdateCell(
                    record.activity, slot: 0, TokenPage.cellOfDeadToken, status: nil, asOf: nil))
            for _ in 0..<2 {
                #expect(try await stage.call("update", TestStage.body(id)).code == "DEVICE_NOT_SYNCED")
            }
            #expect(stage.pushes(.update).count == 1)
            // Neither leaves a record.
            let listed = try await stage.store.broadcasts.recentBroadcasts(
                of: try #require(try await stage.store.activities.activity(activity)))
            #expect(listed.filter { $0.kind == .update }.count == 1)
            for pattern in ["*:b:*", "*:open"] { #expect(try await stage.keys(pattern).isEmpty, "\(pattern)") }
            #expect(try await stage.sync(0, id, token: [UInt8](repeating: 7, count: 32)).status == 200)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
        }
    }

    @Test("An update whose gateway is gone after the record is sent by another gateway, once")
    func takeOver() async throws {
        try await TestStage.run { stage in
            let id = try await known(stage)
            let activity = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activity))
            let draft = BroadcastDraft(
                id: record.activity.id.randomBroadcast(), kind: .update, scope: .wholeSegment,
                payload: .update(
                    content: Content(contentState: Array(#"{"stops_left":7}"#.utf8)[...]),
                    options: PresentationOptions()),
                priority: 10,
                expiration: record.activity.endsAt.seconds)
            let begun = try await withCheckedThrowingContinuation { continuation in
                stage.store.redis.reactor.execute {
                    stage.store.broadcasts.begin(draft, for: record, hold: (1, "gone.1")) {
                        continuation.resume(with: $0)
                    }
                }
            }
            #expect(begun?.job != nil)
            let running = try await stage.read("/api/v1/live-activity/broadcasts/\(draft.id)")
            #expect(running["state"]?.string == "running")
            let ended = try await stage.ended(draft.id)
            #expect(ended["state"]?.string == "done" && ended["accepted"]?.int64 == 1)
            #expect(stage.pushes(.update).count == 2)
            try await stage.settled()
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
        }
    }

    @Test("A disabled, downgraded or replaced key is checked again")
    func keys() async throws {
        try await TestStage.run { stage in
            let id = try await known(stage)
            let before = answered(stage)
            _ = try await stage.setup.store.tenants.setTenant(stage.tenant.tenantID, enabled: false)
            #expect(try await stage.call("update", TestStage.body(id)).code == "LIVE_ACTIVITY_DISABLED")
            _ = try await stage.setup.store.tenants.setTenant(stage.tenant.tenantID, enabled: true)
            _ = try await stage.setup.store.tenants.setTenant(stage.tenant.tenantID, tier: .starter)
            #expect(try await stage.call("update", TestStage.body(id)).code == "TIER_REQUIRED")
            _ = try await stage.setup.store.tenants.setTenant(stage.tenant.tenantID, tier: .enterprise)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            #expect(answered(stage) == before + 3)
            let fresh = try #require(try await stage.store.tenants.freshKey(.api, of: stage.tenant.tenantID))
            #expect(try await stage.call("update", TestStage.body(id)).code == "UNAUTHORIZED")
            #expect(try await stage.call("update", TestStage.body(id), headers: ["X-Api-Key": fresh]).accepted == 1)
        }
    }

    @Test("Requests of both kinds share one rate window exactly")
    func rate() async throws {
        try await TestStage.run(configure: { $0.api.requestsPerMinute = 40 }) { stage in
            let id = try await known(stage)
            // Register, start and the first update.
            var left = 37
            for number in 0..<60 {
                let headers = number % 3 == 0 ? ["Prefer": "wait=1"] : [:]
                let answer = try await stage.call("update", TestStage.body(id), headers: headers)
                left = max(0, left - 1)
                #expect(answer.status == (number < 37 ? 200 : 429), "request \(number)")
                #expect(answer.headers["x-ratelimit-remaining"] == String(left), "request \(number)")
            }
            #expect(answered(stage) > 20)
            #expect(stage.pushes(.update).count == 38)
        }
    }

    @Test("Requests in one piece or in several are answered in their order")
    func order() async throws {
        try await TestStage.run { stage in
            let id = try await known(stage)
            let before = answered(stage)
            func request(_ name: String, _ path: String, _ body: String) -> String {
                "POST /api/v1/live-activity/\(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    + "X-Api-Key: \(stage.tenant.apiKey)\r\nX-Request-Id: \(name)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            }
            let client = try RawClient(port: stage.gateways[0].port)
            let update = TestStage.body(id)
            client.send(
                request("a", "update", update) + request("b", "start", "{") + request("c", "update", update)
                    + request("d", "update", "{}") + request("e", "update", update))
            for name in ["a", "b", "c", "d", "e"] {
                let head = try #require(client.read(until: "\r\n\r\n"), "\(name)")
                #expect(head.lowercased().contains("x-request-id: \(name)\r\n"))
                _ = client.read(until: "}")
                if head.contains("200 OK") { _ = client.read(until: "}") }
            }
            #expect(answered(stage) == before + 3)
            let whole = request("f", "update", update)
            for cut in [10, whole.utf8.count - 40, whole.utf8.count - 1] {
                client.send(String(whole.prefix(cut)))
                try await Task.sleep(for: .milliseconds(60))
                client.send(String(whole.dropFirst(cut)))
                #expect(client.read(until: "\r\n\r\n")?.hasPrefix("HTTP/1.1 200 OK") == true)
                _ = client.read(until: "}")
                _ = client.read(until: "}")
            }
            #expect(stage.pushes(.update).count == 7)
        }
    }

    @Test("A client that leaves at once has its update sent once")
    func leaving() async throws {
        try await TestStage.run { stage in
            let id = try await known(stage)
            let body = TestStage.body(id)
            let request =
                "POST /api/v1/live-activity/update HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "X-Api-Key: \(stage.tenant.apiKey)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            for _ in 0..<5 {
                let client = try RawClient(port: stage.gateways[0].port)
                client.send(request)
                client.endSending()
                #expect(client.readToEnd()?.hasPrefix("HTTP/1.1 200 OK") == true)
            }
            #expect(stage.pushes(.update).count == 6)
            for number in 0..<5 {
                let client = try RawClient(port: stage.gateways[0].port)
                client.send(request)
                client.endSending()
                try await stage.eventually("it is sent") { stage.pushes(.update).count == 7 + number }
            }
            try await stage.settled()
            #expect(stage.pushes(.update).count == 11)
            let page = try await stage.metrics(finished: 12)
            #expect(page.value("fanfare_http_requests_in_progress") == 1)
        }
    }

    @Test("A request after an update in the same bytes has the deadline and the end of a single request")
    func behind() async throws {
        let configure: (inout GatewayOptions) -> Void = {
            $0.api.bodyDeadline = .seconds(1)
            $0.api.headDeadline = .seconds(600)
        }
        try await TestStage.run(configure: configure) { stage in
            let id = try await known(stage)
            let body = TestStage.body(id)
            let update =
                "POST /api/v1/live-activity/update HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "X-Api-Key: \(stage.tenant.apiKey)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            let half =
                "POST /api/v1/sdk/sync HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "X-Sdk-Key: \(stage.tenant.sdkKey)\r\nContent-Length: 50\r\n\r\n{"
            let other = "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n"
            let before = answered(stage)
            for first in [update, other + update] {
                let client = try RawClient(port: stage.gateways[0].port)
                client.send(first + half)
                #expect(client.readToEnd()?.contains("408 Request Timeout") == true)
                try await stage.settled()
                let leaving = try RawClient(port: stage.gateways[0].port)
                leaving.send(first + half)
                leaving.endSending()
                #expect(leaving.readToEnd()?.contains("400 Bad Request") == true)
                try await stage.settled()
            }
            // A head alone is soon the router's, with its time.
            let client = try RawClient(port: stage.gateways[0].port)
            client.send(String(update.prefix(update.utf8.count - body.utf8.count)))
            let late = client.readToEnd() ?? ""
            #expect(late.contains("408 Request Timeout") && late.lowercased().contains("x-ratelimit-remaining"))
            #expect(answered(stage) == before + 4)
        }
    }

    @Test("A closed connection frees its handlers")
    func release() async throws {
        try await TestStage.run { stage in
            let reports = PlainReports(stage)
            weak var plain: PlainReportHandler?
            weak var handler: ReportHandler?
            func visit(_ install: (EmbeddedChannel) throws -> Void) throws {
                let channel = EmbeddedChannel()
                try install(channel)
                let request = "POST /api/v1/sdk/sync HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
                try channel.writeInbound(ByteBuffer(string: request))
                let answer = try #require(try channel.readOutbound(as: ByteBuffer.self))
                #expect(String(buffer: answer).hasPrefix("HTTP/1.1 401 "))
                #expect(handler != nil)
                // No plain request; this one's body is still to come when the connection ends.
                let other = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{"
                try channel.writeInbound(ByteBuffer(string: other))
                // The parser reports the body that breaks off.
                _ = try? channel.finish(acceptAlreadyClosed: true)
            }
            try visit { channel in
                try reports.install(in: channel, socket: nil) {}
                plain = try channel.pipeline.syncOperations.handler(type: PlainReportHandler.self)
                handler = plain?.reports
            }
            #expect(plain == nil && handler == nil)
            try visit { channel in
                try reports.installBehindParser(in: channel)
                handler = try channel.pipeline.syncOperations.handler(type: ReportHandler.self)
            }
            #expect(handler == nil)
        }
    }
}
