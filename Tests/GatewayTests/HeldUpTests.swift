import Dispatch
import Gateway
import GatewayAPI
import GatewayStore
import LineLog
import LiveActivity
import Logging
import NIOCore
import NIOPosix
import Reactor
import Testing
import TimeCore

@Suite("Reports that have waited for a gateway that was held up", .serialized)
struct HeldUpTests {
    /// On which event loop the reports of devices are answered, for that is where they are logged.
    private final class LoopFinder: Sendable {
        private let found = Locked<(any EventLoop)?>(nil)

        var loop: (any EventLoop)? { found.withLock { $0 } }

        var logger: Logger {
            var logger = Logger(label: "loop") { label in
                LineLogHandler(label: label, form: .json) { line, _ in
                    guard String(decoding: line, as: UTF8.self).contains("/api/v1/sdk/device"),
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
        let key = TestStage.key(0)
        return """
            {"insider_id":"\(key.insiderID)","udid":"\(key.udid)","platform":"ios","os_version":"18.1",\
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

    /// What a report is answered that comes while the event loop of its connection stands still.
    private func answerOfHeldUp(_ stage: TestStage, _ finder: LoopFinder) async throws -> [RawReply] {
        let (first, second) = (request(stage, consents: true), request(stage, consents: false, last: true))
        let port = stage.gateways[0].port
        let text = try await DispatchThread.value {
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
            // A loop that runs has a turn each second, and is taken for held up after four without one.
            DispatchThread.pause(milliseconds: 4500)
            mayGo.signal()
            return client.readToEnd()
        }
        let replies = try #require(text, "the connection was not closed")
        return try #require(RawReply.all(in: replies), "\(replies)")
    }

    @Test("A report that has waited while its event loop stood still is refused with 503, and is not carried out")
    func heldUp() async throws {
        let finder = LoopFinder()
        try await TestStage.run(logger: finder.logger, configure: { $0.api.admissionLifetime = .seconds(60) }) {
            stage in
            try await stage.addDevices(1)
            let replies = try await answerOfHeldUp(stage, finder)
            #expect(replies.map(\.status) == [503], "\(replies)")
            #expect(replies.first?.body.contains("OVERLOADED") == true && replies.first?.headers["retry-after"] == "1")
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

    @Test("What a gateway sends so late that nobody knows who was erased since makes no device")
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
