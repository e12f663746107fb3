import APNs
import Delivery
import Foundation
import PushClient
import Reactor
import TLS
import TestProvider
import Testing
import TimeCore

extension PushClientTests {
    @Suite("Connecting") struct ConnectingTests {
        /// The reason for which no push can be sent, as the client reports it.
        private func reason(_ stage: Stage) async throws -> String {
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 3)
            recorder.start()
            let reason = await stage.pauseReason()
            #expect(reason?.kind == .noConnection && reason?.name == "NoConnection")
            #expect(recorder.count == 0, "a push was taken")
            return reason?.text ?? ""
        }

        @Test("A certificate of a foreign authority gets no push, and the error names the cause")
        func foreignAuthority() async throws {
            let trust = TLSContext.Trust.file(TestIdentity.shared.otherAuthority)
            let stage = try Stage(trust: trust)
            #expect(try await reason(stage).contains("certificate is not trusted"))
            #expect(stage.provider.requests == 0)
            await stage.close()
        }

        @Test("A certificate for another host name gets no push, and the error names the cause")
        func wrongHost() async throws {
            let stage = try Stage(host: "127.0.0.2")
            #expect(try await reason(stage).contains("mismatch"))
            #expect(stage.provider.requests == 0)
            await stage.close()
        }

        @Test("A TLS server that knows nothing of ALPN gets no push")
        func noALPN() async throws {
            let identity = TestIdentity.shared
            let server = Process()
            let output = Pipe()
            server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            server.arguments = [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", identity.certificate, "-key",
                identity.certificateKey,
            ]
            server.standardOutput = output
            server.standardError = FileHandle.nullDevice
            server.standardInput = Pipe()
            try server.run()
            // Signals to end in order may be blocked in a child of the test process.
            defer { kill(server.processIdentifier, SIGKILL) }
            var text = ""
            while !text.contains("ACCEPT 127.0.0.1:") || !text.hasSuffix("\n") {
                let data = output.fileHandleForReading.availableData
                try #require(!data.isEmpty)
                text += String(decoding: data, as: UTF8.self)
            }
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") })
            let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
            let stage = try Stage(port: port)
            #expect(try await reason(stage).contains("does not speak the protocol"))
            await stage.close()
        }

        @Test("A name that does not resolve gives noConnection with the name")
        func unresolvable() async throws {
            let stage = try Stage(host: "no-such-host.invalid")
            #expect(try await reason(stage).contains("no-such-host.invalid"))
            await stage.close()
        }

        @Test("A server that is down gives noConnection with the reason; when it is up, what waited goes")
        func downThenUp() async throws {
            let first = try TestProvider()
            let port = first.port
            await first.stop()
            let stage = try Stage(port: port)
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 5)
            recorder.start()
            #expect(await stage.pauseReason()?.text.contains("refused") == true)
            let revived = try TestProvider(port: port)
            await recorder.waitForOutcomes(5)
            #expect(recorder.accepted.count == 5)
            #expect(await eventually { await stage.client.snapshot().health == .healthy })
            #expect(await stage.client.snapshot().failures == 0)
            #expect(await stage.client.snapshot().lastFailure == nil)
            await stage.close()
            await revived.stop()
        }

        @Test("While a server is down there is one attempt at a time, with pauses that grow")
        func attemptsAreFew() async throws {
            let first = try TestProvider()
            await first.stop()
            let stage = try Stage(port: first.port) {
                $0.initialBackoff = .milliseconds(100)
                $0.maximumBackoff = .seconds(1)
            }
            let began = MonotonicTime.now()
            OutcomeRecorder(stage.client, try Stage.template(), total: 1_000).start()
            #expect(await eventually { await stage.client.snapshot().failures >= 4 })
            // Half of 100, 200 and 400 ms at least.
            #expect(MonotonicTime.now() - began >= .milliseconds(350))
            await stage.close()
        }

        @Test(
            "Wrong options are refused with a sentence",
            arguments: [
                ("http://localhost", "https://"), ("https://", "no host"), ("https://a:99999", "port"),
                ("https://a/path", "nothing but"), ("localhost:443", "https://"), ("https://[::1", "bracket"),
            ])
        func urls(_ url: String, _ part: String) throws {
            let reactor = try Reactor(name: "client")
            defer { reactor.stop() }
            let options = PushClientOptions(url: url, trust: .system)
            let error = #expect(throws: PushConfigurationError.self) {
                try PushClient(reactor: reactor, options: options, credential: Stage.credential())
            }
            #expect(error?.description.contains(part) == true)
        }

        @Test(
            "A key file that cannot sign is refused with a sentence that names it",
            arguments: [
                ("missing.p8", "No such file"), ("p384.p8", "P-256"), ("rsa.p8", "P-256"),
                ("encrypted.p8", "passphrase"),
                ("sec1.pem", "PKCS#8"), ("ca.pem", "PKCS#8"), ("empty.p8", "empty"), ("damaged.p8", "damaged"),
            ])
        func keyFiles(_ name: String, _ part: String) throws {
            let directory = TestIdentity.shared.directory
            if name == "empty.p8" { try Data().write(to: directory.appendingPathComponent(name)) }
            if name == "damaged.p8" {
                let text = "-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n-----END PRIVATE KEY-----\n"
                try Data(text.utf8).write(to: directory.appendingPathComponent(name))
            }
            let path = directory.appendingPathComponent(name).path
            let reactor = try Reactor(name: "client")
            defer { reactor.stop() }
            let options = PushClientOptions(url: "https://localhost", trust: .system)
            let error = #expect(throws: PushConfigurationError.self) {
                try PushClient(reactor: reactor, options: options, credential: Stage.credential(path))
            }
            #expect(error?.description.contains(part) == true)
            #expect(error?.description.contains(path) == true)
            #expect(error?.description.contains("MIGH") == false)
        }

        @Test("A trust file that is not there is refused with its name")
        func trustFile() throws {
            let reactor = try Reactor(name: "client")
            defer { reactor.stop() }
            let options = PushClientOptions(url: "https://localhost", trust: .file("/nowhere/ca.pem"))
            let error = #expect(throws: PushConfigurationError.self) {
                try PushClient(reactor: reactor, options: options, credential: Stage.credential())
            }
            #expect(error?.description.contains("/nowhere/ca.pem") == true)
        }
    }
}
