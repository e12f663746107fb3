import APNs
import APNsCore
import Delivery
import LiveActivity
import PushClient
import Reactor
import Synchronization
import TLS
import TestProvider
import Testing
import TimeCore

/// A provider, a reactor and a client for one test.
struct Stage {
    let provider: TestProvider
    let reactor: Reactor
    let client: PushClient

    init(
        limit: UInt32? = 1_000, host: String = "localhost", port: UInt16? = nil, trust: TLSContext.Trust? = nil,
        change: (inout PushClientOptions) -> Void = { _ in }, wallClock: (@Sendable () -> UInt64)? = nil
    ) throws {
        provider = try TestProvider(host: host.hasPrefix("127.") ? host : "127.0.0.1")
        provider.initialLimit = limit
        reactor = try Reactor(name: "client")
        let identity = TestIdentity.shared
        var options = PushClientOptions(
            url: "https://\(host):\(port ?? provider.port)", trust: trust ?? .file(identity.authority))
        options.pushDeadline = .seconds(60)
        options.connectTimeout = .seconds(20)
        options.initialBackoff = .milliseconds(20)
        options.maximumBackoff = .milliseconds(200)
        change(&options)
        if let wallClock {
            client = try PushClient(
                reactor: reactor, options: options, credential: Stage.credential(), wallClock: wallClock)
        } else {
            client = try PushClient(reactor: reactor, options: options, credential: Stage.credential())
        }
    }

    static func credential(_ keyFile: String? = nil) -> ProviderCredential {
        ProviderCredential(
            keyFile: keyFile ?? TestIdentity.shared.providerKey, keyIdentifier: "ABCDE12345",
            teamIdentifier: "TEAM123456")
    }

    static func template(
        _ destination: PushDestination = .pushToStartToken, bytes: Int = 400, collapse: String? = nil
    ) throws -> PushTemplate {
        try PushTemplate(
            destination: destination, event: .start,
            headers: try PushHeaders(
                topic: "com.example.app.push-type.liveactivity", priority: .immediate, expiration: 1_900_000_000,
                collapseIdentifier: collapse),
            identifier: PushIdentifier(broadcast: UniqueID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)),
            body: [UInt8](repeating: 0x61, count: bytes))
    }

    static func probe() throws -> ProbePush {
        try #require(ProbePush.apns(topic: "com.example.app.push-type.liveactivity"))
    }

    /// Returns the reason of the client's pause once it pauses; nil after a timeout.
    func pauseReason() async -> PauseReason? {
        var found: PauseReason?
        _ = await eventually {
            guard case .paused(let reason, _) = await client.snapshot().health else { return false }
            found = reason
            return true
        }
        return found
    }

    func close() async {
        await client.shutdown(deadline: .seconds(2))
        await provider.stop()
        reactor.stop()
    }

    /// Runs `total` pushes to their ends.
    func run(_ total: Int, firstTag: UInt64 = 0) async throws -> OutcomeRecorder {
        let recorder = OutcomeRecorder(client, try Stage.template(), total: total, firstTag: firstTag)
        await recorder.run()
        return recorder
    }

    /// Returns the number of pushes that the provider answered with 200, by path.
    func ledgerAccepted() -> [String: Int] {
        provider.ledger.filter { $0.status == 200 }.reduce(into: [:]) { $0[$1.path, default: 0] += 1 }
    }
}

/// Returns true once `condition` holds; false after `seconds`.
func eventually(_ seconds: Double = 10, _ condition: () async -> Bool) async -> Bool {
    let end = MonotonicTime.now() + .seconds(seconds)
    while MonotonicTime.now() < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return await condition()
}
