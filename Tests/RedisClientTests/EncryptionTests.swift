import Foundation
import Reactor
import RedisServerProcess
import TestCertificates
import TestStore
import Testing
import TimeCore

@testable import RedisClient

/// Redis over TLS: the identities of server and client, and the errors for wrong ones.
@Suite(.timeLimit(.minutes(3))) struct EncryptionTests {
    /// Runs `body` with a server, and with the certificates' maker and root.
    private func withEncrypted(
        names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2, demandsCertificates: Bool = false,
        arguments: [String] = [],
        _ body: (RedisServerProcess, Reactor, CertificateMaker, CertificateMaker.Identity) async throws -> Void
    ) async throws {
        let maker = try CertificateMaker()
        let root = try maker.make("root")
        let leaf = try maker.make("server", names: names, issuer: root, days: days)
        var options = RedisServerOptions()
        var tls = RedisServerOptions.TLS(
            certificateFile: leaf.certificateFile, keyFile: leaf.keyFile, caFile: root.certificateFile)
        tls.demandsCertificates = demandsCertificates
        options.tls = tls
        options.arguments = arguments
        try await withServer(options) { server, reactor in try await body(server, reactor, maker, root) }
        withExtendedLifetime(maker) {}
    }

    /// Returns the reason why a client cannot serve.
    private func reason(_ endpoint: RedisEndpoint, _ reactor: Reactor) async -> String {
        let client = RedisClient(reactor: reactor, endpoint: endpoint)
        let result = await client.call(RedisCommand("PING"), deadline: .seconds(600))
        await client.shutdown()
        guard case .failure(.unavailable(let reason, mayHaveBeenExecuted: false)) = result else { return "\(result)" }
        return reason
    }

    @Test func whoIsNotVerifiedIsNotSpokenTo() async throws {
        try await withEncrypted { server, reactor, maker, _ in
            var endpoint = server.endpoint
            #expect("\(endpoint)".hasPrefix("rediss://127.0.0.1:"))
            endpoint.tls?.caFile = try maker.make("another root").certificateFile
            let unknown = await reason(endpoint, reactor)
            #expect(unknown.contains("certificate verify failed: ") && unknown.contains("redis.ca_file"), "\(unknown)")
            endpoint.tls?.caFile = nil
            let system = await reason(endpoint, reactor)
            #expect(system.contains("certificate verify failed: ") && system.contains("redis.ca_file"), "\(system)")
            endpoint.tls?.caFile = "/nowhere/ca.pem"
            let missing = await reason(endpoint, reactor)
            #expect(missing.contains("cannot load certificates from /nowhere/ca.pem"), "\(missing)")
            // The plain protocol on the TLS port.
            endpoint.tls = nil
            let plain = await reason(endpoint, reactor)
            #expect(plain.contains("use rediss:// instead of redis:// in redis.url"), "\(plain)")
        }
    }

    @Test func aPortWithoutTLSIsSaidToBeOneAndWhatToDo() async throws {
        var options = RedisServerOptions()
        options.listensOnTCP = true
        try await withServer(options) { server, reactor in
            // In a run over TLS the server has no plain port.
            guard var endpoint = server.tcpEndpoint, endpoint.tls == nil else { return }
            endpoint.tls = RedisTLS()
            let silent = await reason(endpoint, reactor)
            #expect(silent.contains("the server accepted the connection but does not answer in TLS"), "\(silent)")
            #expect(
                silent.contains("The port does not speak TLS: use the server's tls-port with rediss://"), "\(silent)")
            #expect(silent.contains("(\(endpoint))"), "\(silent)")
            // A server that speaks first: a Redis in protected mode or with too many clients.
            let server = try await ScriptedServer(reactor) { _ in "-DENIED Redis is running in protected mode\r\n" }
            endpoint.location = server.endpoint.location
            let spoken = await reason(endpoint, reactor)
            #expect(
                spoken.contains("The port does not speak TLS: use the server's tls-port with rediss://"), "\(spoken)")
        }
    }

    @Test(arguments: [0x15, 0x16] as [UInt8])
    func anAnswerInTLSToThePlainProtocolIsSaidToBeOne(_ kind: UInt8) async throws {
        try await withReactor { reactor in
            let record = String(decoding: [kind, 3, 3, 0, 2, 2, 0x46], as: UTF8.self)
            let server = try await ScriptedServer(reactor) { $0 == 0 ? "" : record }
            let reason = await reason(server.endpoint, reactor)
            #expect(reason.hasPrefix("the server answers in TLS: use rediss://"), "\(reason)")
        }
    }

    @Test func aCertificateForAnotherHostIsRefusedAndTheNameSaid() async throws {
        try await withEncrypted(names: "DNS:redis.example") { server, reactor, _, _ in
            let reason = await reason(server.endpoint, reactor)
            #expect(reason.contains("certificate verify failed: ") && reason.contains("127.0.0.1"), "\(reason)")
            // A node named by the cluster may present a certificate for the configured host.
            var node = server.endpoint
            node.trustedNames = ["redis.example"]
            let client = RedisClient(reactor: reactor, endpoint: node)
            #expect(await client.call(RedisCommand("PING")) == .success(.status("PONG")))
            await client.shutdown()
            node.trustedNames = ["other.example"]
            #expect(await self.reason(node, reactor).contains("127.0.0.1, other.example"))
        }
    }

    @Test func anExpiredCertificateIsRefused() async throws {
        try await withEncrypted(days: -1) { server, reactor, _, _ in
            let reason = await reason(server.endpoint, reactor)
            #expect(reason.contains("has expired") && reason.contains("Renew the server's certificate"), "\(reason)")
        }
    }

    @Test func aClientsCertificateIsShownWhereItIsDemandedAndRenewedWithoutARestart() async throws {
        try await withEncrypted(demandsCertificates: true) { server, reactor, maker, root in
            var endpoint = server.endpoint
            let missing = await reason(endpoint, reactor)
            #expect(missing.contains("redis.certificate_file"), "\(missing)")
            let stranger = try maker.make("stranger", issuer: try maker.make("strange root"))
            let files = (certificate: "\(maker.directory)/client.pem", key: "\(maker.directory)/client-key.pem")
            func install(_ identity: CertificateMaker.Identity) throws {
                try Data(contentsOf: URL(fileURLWithPath: identity.certificateFile))
                    .write(to: URL(fileURLWithPath: files.certificate), options: .atomic)
                try Data(contentsOf: URL(fileURLWithPath: identity.keyFile))
                    .write(to: URL(fileURLWithPath: files.key), options: .atomic)
            }
            endpoint.tls?.certificateFile = files.certificate
            endpoint.tls?.keyFile = files.key
            try install(stranger)
            let unknown = await reason(endpoint, reactor)
            #expect(unknown.contains("The server rejects the certificate"), "\(unknown)")
            // A client that keeps retrying uses the new pair.
            let client = RedisClient(reactor: reactor, endpoint: endpoint)
            try install(try maker.make("client", issuer: root))
            #expect(await eventually { client.connectionState == .connected })
            // While key and certificate do not match, the client uses the pair before.
            try Data(contentsOf: URL(fileURLWithPath: stranger.keyFile))
                .write(to: URL(fileURLWithPath: files.key), options: .atomic)
            server.kill()
            try await server.start()
            #expect(await eventually { await client.call(RedisCommand("PING")) == .success(.status("PONG")) })
            await client.shutdown()
        }
    }

    @Test func aUserOfTheURLSignsInWithHisOwnRights() async throws {
        let users = ["--user", "ann%", "on", ">p:w/d %", "~a:*", "+@all", "--user", "default", "off"]
        try await withEncrypted(arguments: users) { server, reactor, _, _ in
            guard case .tcp(_, let port) = server.endpoint.location else { return }
            var endpoint = try RedisEndpoint(url: "rediss://ann%25:p%3Aw%2Fd%20%25@127.0.0.1:\(port)")
            endpoint.tls?.caFile = server.endpoint.tls?.caFile
            let client = RedisClient(reactor: reactor, endpoint: endpoint)
            #expect(await client.call(RedisCommand("SET", "a:1", "x")) == .success(.status("OK")))
            guard case .failure(let refused) = await client.call(RedisCommand("SET", "b:1", "x")) else {
                Issue.record("another key was written")
                return
            }
            #expect(refused.refusal == .noPermission)
            await client.shutdown()
            endpoint.password = "wrong"
            let reason = await reason(endpoint, reactor)
            #expect(reason.contains("the server refused the sign-in: WRONGPASS") && !reason.contains("wrong "))
        }
    }

    @Test func bytesOfAnySizeComeAsTheyWere() async throws {
        try await withEncrypted { server, reactor, _, _ in
            let client = RedisClient(reactor: reactor, endpoint: server.endpoint)
            let large = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            _ = try await client.value(RedisCommand("SET", "large", large))
            let replies = await client.pipeline(
                (0..<20).flatMap { [RedisCommand("ECHO", $0), RedisCommand("GET", "large")] }, deadline: .seconds(120))
            for (number, reply) in replies.enumerated() {
                let wanted = number % 2 == 0 ? Array("\(number / 2)".utf8) : large
                #expect(try reply.get().bytes == wanted)
            }
            await client.shutdown()
        }
    }

    @Test(arguments: [true, false])
    func aReplyBeyondTheBoundEndsTheConnectionAndTheNextOneServes(isEncrypted: Bool) async throws {
        func check(_ endpoint: RedisEndpoint, _ reactor: Reactor) async throws {
            let client = RedisClient(reactor: reactor, endpoint: endpoint)
            let length = ReplyBound.standard.bytes + 1
            _ = try await client.value(RedisCommand("SETRANGE", "large", length - 1, "x"), deadline: .seconds(60))
            let result = await client.call(RedisCommand("GET", "large"), deadline: .seconds(60))
            guard case .failure(.unavailable(let reason, mayHaveBeenExecuted: true)) = result else {
                Issue.record("a reply of \(length) bytes was taken")
                return
            }
            #expect(reason.contains("the server began a reply of more than"), "\(reason)")
            #expect(await eventually { await client.call(RedisCommand("PING")) == .success(.status("PONG")) })
            await client.shutdown()
        }
        if isEncrypted {
            try await withEncrypted { server, reactor, _, _ in try await check(server.endpoint, reactor) }
        } else {
            try await withServer { server, reactor in try await check(server.endpoint, reactor) }
        }
    }

    @Test func aConnectionCutAtAnyByteGivesEveryCommandAnOutcomeAndTheNextOneServes() async throws {
        try await withEncrypted { server, reactor, _, _ in
            guard case .tcp(_, let port) = server.endpoint.location else { return }
            // Cuts in the handshake, the greeting and the replies. A cut at every byte would take minutes.
            var inFlight = 0
            for (number, allowance) in stride(from: 0, to: 2500, by: 41).enumerated() {
                let cutter = try await Cutter(reactor, to: port, after: allowance)
                var endpoint = server.endpoint
                endpoint.location = .tcp(host: "127.0.0.1", port: cutter.port)
                var options = RedisClientOptions()
                options.backoff = Backoff(first: .milliseconds(1), longest: .milliseconds(5))
                let client = RedisClient(reactor: reactor, endpoint: endpoint, options: options)
                let key = "n\(number)"
                let results = await client.pipeline(
                    (0..<50).map { _ in RedisCommand("INCR", key) }, deadline: .seconds(60))
                let done = results.count { (try? $0.get()) != nil }
                let possible = results.count { result in
                    if case .failure(let error) = result { error.mayHaveBeenExecuted } else { true }
                }
                if done < possible { inFlight += 1 }
                await cutter.stopCutting()
                #expect(await eventually { await client.call(RedisCommand("PING")) == .success(.status("PONG")) })
                let count = Int(try await client.value(RedisCommand("GET", key)).int ?? 0)
                #expect(done <= count && count <= possible, "\(done), \(count), \(possible) at \(allowance)")
                await client.shutdown()
            }
            #expect(inFlight > 0, "no cut came between a command and its reply")
        }
    }

    @Test("A cluster over TLS is followed over TLS alone, also where a slot moves")
    func cluster() async throws {
        try await withCluster(tls: TestTLS.server) { client, cluster in
            for third in 0..<3 {
                for number in 0..<20 {
                    _ = try await client.value(RedisCommand("SET", key(inThird: third, number), number))
                }
            }
            #expect(client.clusterCounts.refreshes > 0)
            // ASK and MOVED redirections name the TLS ports.
            let moving = key(inThird: 0)
            let move = try await SlotMove(cluster, key: moving)
            try await move.begin()
            try await move.move((0..<20).map { key(inThird: 0, $0) })
            #expect(try await client.string(RedisCommand("GET", moving)) == "0")
            let before = client.clusterCounts
            #expect(before.redirections == 1)
            try await move.end()
            #expect(try await client.string(RedisCommand("GET", moving)) == "0")
            let told = client.clusterCounts
            #expect(told.redirections == before.redirections + 1 || told.refreshes > before.refreshes)
            for server in cluster.servers[..<RedisCluster.masterCount] {
                let list = try await cluster.call(RedisCommand("CONFIG", "GET", "port"), on: server).get()
                #expect(list.array?.last?.string == "0", "a node serves TCP without TLS")
            }
        }
    }
}

/// Relays bytes, and cuts the connection after `allowance` bytes to the client. Confined to the reactor.
private final class Cutter: DescriptorHandler, @unchecked Sendable {
    let port: UInt16
    private let reactor: Reactor
    private let target: UInt16
    private let listener: Int32
    private let allowance: Int
    private var isCutting = true
    private var pairs: [Pair] = []

    init(_ reactor: Reactor, to target: UInt16, after allowance: Int) async throws {
        self.reactor = reactor
        self.target = target
        self.allowance = allowance
        guard let address = SocketAddress(numericHost: "127.0.0.1", port: 0) else { throw CancellationError() }
        (listener, port) = try Socket.listen(on: address)
        let listener = listener
        await reactor.call(stopped: ()) { done in
            _ = try? reactor.watch(listener, .read, self)
            done(())
        }
    }

    deinit { Socket.close(listener) }

    func stopCutting() async {
        await reactor.call(stopped: ()) { done in
            self.isCutting = false
            for pair in self.pairs { pair.allowance = .max }
            done(())
        }
    }

    func descriptorReady(_ readiness: Readiness) {
        while let client = Socket.accept(listener) {
            guard let address = SocketAddress(numericHost: "127.0.0.1", port: target),
                let server = try? Socket.connect(to: address)
            else { return Socket.close(client) }
            pairs.append(Pair(reactor, client, server, isCutting ? allowance : .max))
        }
    }

    private final class Pair: DescriptorHandler {
        let reactor: Reactor
        let descriptors: (client: Int32, server: Int32)
        var watches: [Watch] = []
        var allowance: Int

        init(_ reactor: Reactor, _ client: Int32, _ server: Int32, _ allowance: Int) {
            self.reactor = reactor
            self.allowance = allowance
            descriptors = (client, server)
            watches = [client, server].compactMap { try? reactor.watch($0, .read, self) }
        }

        deinit { close() }

        func descriptorReady(_ readiness: Readiness) {
            move(descriptors.client, descriptors.server, counts: false)
            if !watches.isEmpty { move(descriptors.server, descriptors.client, counts: true) }
        }

        private func move(_ source: Int32, _ target: Int32, counts: Bool) {
            withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
                switch Socket.receive(source, into: buffer) {
                case .transferred(var count):
                    let isOver = counts && count >= allowance
                    if isOver { count = allowance }
                    if counts, allowance != .max { allowance -= count }
                    if count > 0 { _ = Socket.send(target, UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                    if isOver { close() }
                case .wouldBlock: break
                case .ended, .failed: close()
                }
            }
        }

        func close() {
            guard !watches.isEmpty else { return }
            for watch in watches { reactor.unwatch(watch) }
            watches = []
            Socket.close(descriptors.client)
            Socket.close(descriptors.server)
        }
    }
}
