import Dispatch
import Gateway
import GatewayAPI
import GatewayStore
import LineLog
import LiveActivity
import Logging
import MockAPNs
import NIOCore
import NIOPosix
import Reactor
import Testing
import TimeCore

@Suite("Requests to a gateway that was held up", .serialized)
struct HeldUpTests {
    /// On which event loop the reports of devices are answered, for that is where they are logged.
    private final class LoopFinder: Sendable {
        private let found = Locked<(any EventLoop)?>(nil)
        /// The lines of updates that have been answered.
        let updates = Locked<[String]>([])

        var loop: (any EventLoop)? { found.withLock { $0 } }

        var logger: Logger {
            var logger = Logger(label: "loop") { label in
                LineLogHandler(label: label, form: .json) { line, _ in
                    let line = String(decoding: line, as: UTF8.self)
                    if line.contains("/api/v1/live-activity/update") { self.updates.withLock { $0.append(line) } }
                    guard line.contains("/api/v1/sdk/device"),
                        let loop = MultiThreadedEventLoopGroup.currentEventLoop
                    else { return }
                    self.found.withLock { $0 = loop }
                }
            }
            logger.logLevel = .debug
            return logger
        }
    }

    private struct NoLoop: Error {}

    private static func body(consents: Bool) -> String {
        return """
            {\(TestStage.key(0).fields),"platform":"ios","os_version":"18.1",\
            "push_opt_in":true,"gdpr_consent":\(consents),"environment":"production"}
            """
    }

    private func request(_ stage: TestStage, consents: Bool, last: Bool = false) -> String {
        let body = Self.body(consents: consents)
        return """
            PUT /api/v1/sdk/device HTTP/1.1\r\nHost: x\r\nX-Sdk-Key: \(stage.tenant.sdkKey)\r\n\
            Content-Type: application/json\r\n\(last ? "Connection: close\r\n" : "")\
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
    }

    private func update(_ stage: TestStage, _ body: String) -> String {
        """
        POST /api/v1/live-activity/update HTTP/1.1\r\nHost: x\r\nX-Api-Key: \(stage.tenant.apiKey)\r\n\
        Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
        """
    }

    /// The answer to a request that arrives while the event loop of its connection is blocked.
    /// - Parameter leaves: True if the client closes the connection before the loop goes on.
    private func answerOfHeldUp(
        _ stage: TestStage, _ finder: LoopFinder, _ second: String, milliseconds: UInt32 = 4500, leaves: Bool = false
    ) async throws -> String? {
        let first = request(stage, consents: true)
        let port = stage.gateways[0].port
        return try await DispatchThread.value {
            let client = try RawClient(port: port)
            client.send(first)
            guard client.read(until: #"{"status":"success"}"#) != nil, let loop = finder.loop else { throw NoLoop() }
            let stands = DispatchSemaphore(value: 0)
            let mayGo = DispatchSemaphore(value: 0)
            loop.execute {
                stands.signal()
                mayGo.wait()
            }
            stands.wait()
            client.send(second)
            if leaves { client.leave() }
            // Half a second without a turn is a brief stall, four seconds are a long one.
            DispatchThread.pause(milliseconds: milliseconds)
            mayGo.signal()
            return leaves ? "" : client.readToEnd()
        }
    }

    @Test("A report that waited for a blocked event loop is refused with 503 and not carried out")
    func heldUp() async throws {
        let finder = LoopFinder()
        try await TestStage.run(logger: finder.logger, configure: { $0.api.admissionLifetime = .seconds(60) }) {
            stage in
            try await stage.addDevices(1)
            let report = request(stage, consents: false, last: true)
            let text = try #require(try await answerOfHeldUp(stage, finder, report), "the connection was not closed")
            let replies = try #require(RawReply.all(in: text), "\(text)")
            #expect(replies.map(\.status) == [503], "\(replies)")
            #expect(replies.first?.body.contains("OVERLOADED") == true && replies.first?.headers["retry-after"] == "1")
            try await stage.eventually("changes are refused for good") {
                try await stage.call("update", "{}").status != 503
            }
            // The consent that the report takes back stands.
            let id = try await stage.register(1)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            // Sent again, it is carried out, as soon as the loop has read what came while it stood still.
            try await stage.eventually("the report is refused for good") {
                let answer = try await stage.report("PUT", "device", Self.body(consents: false))
                try #require(answer.status == 200 || answer.status == 503, "\(answer.text)")
                return answer.status == 200
            }
            #expect(try await stage.answer(toOptions: "{}").skipped("gdpr_denied") == 1)
        }
    }

    @Test(
        "An update whose caller left during a blocked event loop is not carried out",
        arguments: [1200, 4500] as [UInt32])
    func abandoned(milliseconds: UInt32) async throws {
        let finder = LoopFinder()
        try await TestStage.run(logger: finder.logger, configure: { $0.api.admissionLifetime = .seconds(60) }) {
            stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            // From the second update on the gateway knows the key and the activity, and answers ahead of the router.
            for number in 1...2 {
                #expect(try await stage.call("update", TestStage.body(id, number: number)).accepted == 1)
            }
            let body = TestStage.body(id, number: 3)
            _ = try await answerOfHeldUp(
                stage, finder, update(stage, body), milliseconds: milliseconds, leaves: true)
            try await stage.eventually("the update is not answered") { finder.updates.withLock { $0.count == 3 } }
            #expect(finder.updates.withLock { $0.last?.contains("OVERLOADED") } == true)
            try await stage.eventually("the update is refused for good") {
                try await stage.call("update", TestStage.body(id, number: 4)).status == 200
            }
            #expect(stage.pushes(.update).compactMap(\.contentNumber) == [1, 2, 4])
        }
    }

    @Test("An update that waited for a blocked event loop is refused with 503, and can be sent again")
    func heldUpUpdate() async throws {
        let finder = LoopFinder()
        try await TestStage.run(logger: finder.logger, configure: { $0.api.admissionLifetime = .seconds(60) }) {
            stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            let body = TestStage.body(id, number: 1)
            let request = update(stage, body).replacing(
                "Host: x\r\n", with: "Host: x\r\nConnection: close\r\nIdempotency-Key: one\r\n")
            let text = try #require(try await answerOfHeldUp(stage, finder, request), "the connection was not closed")
            let reply = try #require(RawReply.all(in: text)?.last, "\(text)")
            #expect(reply.status == 503 && reply.body.contains("OVERLOADED") && reply.headers["retry-after"] == "1")
            try await stage.eventually("the update is refused for good") {
                let answer = try await stage.call("update", body, headers: ["Idempotency-Key": "one"])
                try #require(answer.status == 200 || answer.status == 503, "\(answer.text)")
                return answer.status == 200
            }
            #expect(stage.pushes(.update).compactMap(\.contentNumber) == [1])
        }
    }

    @Test("A report older than the records of erasures makes no device")
    func tooOld() async throws {
        try await TestStage.run { stage in
            let devices = stage.gateways[0].store.devices
            let taken = WallTime(milliseconds: WallTime.now().milliseconds - 13_000)
            await #expect(throws: StoreError.self) {
                try await devices.putDevice(
                    TestStage.phone, TestStage.key(0), tenantID: stage.tenant.tenantID, receivedAt: taken)
            }
            #expect(try await stage.keys("fanfare:{u:*").isEmpty)
            try await devices.putDevice(TestStage.phone, TestStage.key(0), tenantID: stage.tenant.tenantID)
            #expect(try await stage.keys("fanfare:{u:*").count == 1)
        }
    }
}
