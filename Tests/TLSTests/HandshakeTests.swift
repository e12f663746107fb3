import Foundation
import Reactor
import TestCertificates
import Testing
import TimeCore

@testable import TLS

@Suite("Handshakes")
struct HandshakeTests {
    /// Connects with the setting and gives how each side ended, or that both were established.
    private func outcome(_ setting: TLSStage.Setting) async throws -> (TLSStage, isEstablished: Bool) {
        let stage = try TLSStage()
        let isOver = try await stage.run(setting) { stage, finish in
            let both = { if stage.client.isEstablished, stage.server.isEstablished { finish() } }
            stage.client.onEstablished = { _ in both() }
            stage.server.onEstablished = { _ in both() }
            stage.client.onEnd = finish
        }
        #expect(isOver)
        return (stage, stage.client.isEstablished && stage.server.isEstablished)
    }

    @Test("A client and a server agree, by name and by address", arguments: ["localhost", "127.0.0.1"])
    func agree(hostName: String) async throws {
        var setting = TLSStage.Setting()
        setting.hostName = hostName
        #expect(try await outcome(setting).isEstablished)
    }

    @Test("A server of another certificate authority is refused, and the error says so")
    func wrongAuthority() async throws {
        var setting = TLSStage.Setting()
        setting.trustsOther = true
        let (stage, isEstablished) = try await outcome(setting)
        #expect(!isEstablished && !stage.client.isEstablished)
        let text = stage.client.end?.description ?? ""
        #expect(text.contains("not trusted") && text.contains("issuer certificate"), "\(text)")
    }

    @Test(
        "A certificate for another host is refused, and the error says so",
        arguments: [
            ("localhost", "DNS:example.org"), ("localhost", "IP:127.0.0.1"), ("127.0.0.1", "DNS:localhost"),
            ("127.0.0.1", "IP:127.0.0.2"), ("localhost", "DNS:*.localhost"),
        ])
    func wrongHost(hostName: String, names: String) async throws {
        var setting = TLSStage.Setting()
        (setting.hostName, setting.names) = (hostName, names)
        let (stage, isEstablished) = try await outcome(setting)
        #expect(!isEstablished)
        let text = stage.client.end?.description ?? ""
        #expect(text.localizedCaseInsensitiveContains("mismatch"), "\(text)")
    }

    @Test("An expired certificate is refused, and the error says so")
    func expired() async throws {
        var setting = TLSStage.Setting()
        setting.days = -1
        let (stage, _) = try await outcome(setting)
        #expect(stage.client.end?.description.contains("expired") == true)
    }

    @Test("Sides that share no application protocol do not become established")
    func noCommonProtocol() async throws {
        var setting = TLSStage.Setting()
        setting.serverProtocol = "http/1.1"
        let (stage, _) = try await outcome(setting)
        #expect(!stage.client.isEstablished && !stage.server.isEstablished)
        guard case .tls? = stage.client.end else {
            Issue.record("ended otherwise: \(String(describing: stage.client.end))")
            return
        }
    }

    @Test("An empty host name is refused before anything is sent")
    func emptyHostName() throws {
        let maker = try CertificateMaker()
        let root = try maker.make("root")
        let context = try TLSContext.client(trust: .file(root.certificateFile), applicationProtocol: "h2")
        #expect(throws: TLSError.self) { try TLSSession.client(context, hostName: "") }
    }

    @Test("A listener that never answers ends the attempt at the timeout")
    func silence() async throws {
        var setting = TLSStage.Setting()
        setting.timeout = .milliseconds(150)
        setting.onSocket = { _ in }
        let start = MonotonicTime.now()
        let (stage, _) = try await outcome(setting)
        #expect(stage.client.end == .timedOut("connecting"))
        #expect(MonotonicTime.now() - start >= .milliseconds(150))
    }

    @Test("A client that says nothing is dropped by the server at the timeout")
    func silentClient() async throws {
        let stage = try TLSStage()
        var setting = TLSStage.Setting()
        setting.timeout = .milliseconds(150)
        let isOver = try await stage.run(setting) { stage, finish in
            stage.server.onEnd = finish
            stage.reactor.schedule(after: .zero) {
                // The client's first message never leaves.
                stage.clientConnection?.close(abruptly: false)
                guard let connection = stage.clientConnection else { return }
                #expect(connection.isClosed)
            }
        }
        #expect(isOver && stage.server.end != nil && !stage.server.isEstablished)
        #expect(stage.client.end == .closedByUs)
    }

    @Test("A port where nobody listens ends the attempt with the system's reason")
    func nobody() async throws {
        let reactor = try Reactor(name: "nobody")
        defer { reactor.stop() }
        let maker = try CertificateMaker()
        let root = try maker.make("root")
        let context = try TLSContext.client(trust: .file(root.certificateFile), applicationProtocol: "h2")
        let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: 0))
        let (descriptor, port) = try Socket.listen(on: address)
        Socket.close(descriptor)
        let recorder = Recorder()
        let end = await withCheckedContinuation { (continuation: CheckedContinuation<ConnectionEnd?, Never>) in
            reactor.execute {
                guard let address = SocketAddress(numericHost: "127.0.0.1", port: port) else { return }
                recorder.onEnd = { continuation.resume(returning: recorder.end) }
                do throws(ConnectionEnd) {
                    let connection = try TLSConnection.connect(
                        to: address, hostName: "localhost", context: context, timeout: .seconds(10), on: reactor)
                    connection.delegate = recorder
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        guard case .socket(let error)? = end else {
            Issue.record("ended otherwise: \(String(describing: end))")
            return
        }
        #expect(error.number == ECONNREFUSED && error.call == "connect")
    }

    @Test("Contexts say which file they could not use")
    func contexts() throws {
        let maker = try CertificateMaker()
        let (one, two) = (try maker.make("one"), try maker.make("two"))
        let missing = maker.directory + "/missing.pem"
        func message(_ body: () throws -> TLSContext) -> String {
            do { _ = try body() } catch { return "\(error)" }
            return "no error"
        }
        #expect(message { try .client(trust: .file(missing), applicationProtocol: "h2") }.contains(missing))
        for (certificate, key, named) in [
            (missing, one.keyFile, missing), (one.certificateFile, missing, missing),
            (one.certificateFile, two.keyFile, two.keyFile),
        ] {
            let text = message {
                try .server(certificateChainFile: certificate, privateKeyFile: key, applicationProtocol: "h2")
            }
            #expect(text.contains(named), "\(text)")
        }
    }
}
