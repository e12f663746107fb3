import Delivery
import Encodings
import PushClient
import TestProvider
import Testing
import TimeCore

extension PushClientTests {
    @Suite("Through a proxy") struct ProxyTests {
        private func run(
            _ manner: TestProxy.Manner, credentials: String = "", _ body: (Stage, TestProxy) async throws -> Void
        ) async throws {
            let proxy = try TestProxy(manner)
            defer { proxy.stop() }
            let url = try ProxyURL("http://\(credentials)127.0.0.1:\(proxy.port)")
            let stage = try Stage { options in
                options.proxy = url
                options.connectTimeout = .milliseconds(500)
            }
            try await body(stage, proxy)
            await stage.close()
        }

        /// True if `count` pushes are accepted within the usual deadline.
        private func accepted(_ count: Int, _ stage: Stage) async throws -> Bool {
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: count)
            recorder.start()
            return await eventually { recorder.accepted.count == count }
        }

        @Test(
            "Pushes go through its tunnel; the certificate is the provider's, and the proxy sees no more than its name")
        func tunnel() async throws {
            try await run(.tunnel) { stage, proxy in
                let isWhole = try await accepted(500, stage)
                #expect(isWhole)
                #expect(stage.ledgerAccepted().count == 500)
                let authority = "localhost:\(stage.provider.port)"
                #expect(proxy.heads.allSatisfy { $0 == "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n" })
                #expect(!proxy.heads.isEmpty)
            }
        }

        @Test("User and password are decoded before they are sent")
        func credentials() async throws {
            // "user name" and "p:@ß".
            try await run(.tunnelFor("Basic dXNlciBuYW1lOnA6QMOf"), credentials: "user%20name:p:%40%C3%9F@") {
                stage, _ in
                let isWhole = try await accepted(5, stage)
                #expect(isWhole)
            }
        }

        @Test(
            "A proxy that opens no tunnel is trouble with a reason, and no push is lost",
            arguments: [
                (.tunnelFor("Basic other"), "it answers 407: user and password are missing or wrong"),
                (.say("HTTP/1.1 502 YW5uOnNlY3JldA==\r\n\r\n"), "the proxy did not open a tunnel: it answers 502"),
                (.say("SSH-2.0-OpenSSH_9.2\r\n\r\n"), "it does not speak HTTP/1"),
                (.hangUp, "it closed the connection"),
                (.silence, "the proxy's answer timed out"),
            ] as [(TestProxy.Manner, String)])
        func refused(manner: TestProxy.Manner, reason: String) async throws {
            try await run(manner, credentials: "ann:secret@") { stage, _ in
                let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 3)
                recorder.start()
                let pause = await stage.pauseReason()
                #expect(pause?.kind == .noConnection && pause?.text.contains(reason) == true, "\(pause?.text ?? "")")
                #expect(pause?.text.contains("secret") == false && pause?.text.contains("YW5u") == false)
                #expect(recorder.count == 0 && stage.provider.requests == 0)
            }
        }

        @Test("An absent proxy is trouble with its address")
        func absent() async throws {
            let proxy = try TestProxy(.tunnel)
            proxy.stop()
            let stage = try Stage { $0.proxy = try? ProxyURL("http://127.0.0.1:\(proxy.port)") }
            OutcomeRecorder(stage.client, try Stage.template(), total: 3).start()
            #expect(await stage.pauseReason()?.text.contains("127.0.0.1:\(proxy.port)") == true)
            await stage.close()
        }
    }
}
