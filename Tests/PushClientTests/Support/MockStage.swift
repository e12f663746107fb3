import APNs
import APNsCore
import Delivery
import Foundation
import LiveActivity
import MockAPNs
import PushClient
import Reactor
import TLS
import TimeCore

/// The mock APNs, a reactor and a client for one test. The mock checks what it is sent: path, header fields, provider
/// token and HTTP/2.
struct MockStage {
    let mock: MockAPNs
    let reactor: Reactor
    let client: PushClient
    private let directory: URL

    init(
        script: MockScript = MockScript(), mockOptions: (inout MockAPNs.Options) -> Void = { _ in },
        credential: (ProviderCredential) -> ProviderCredential = { $0 },
        change: (inout PushClientOptions) -> Void = { _ in }
    ) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("push-mock-\(UUID().uuidString)")
        var options = MockAPNs.Options(directory: directory.path)
        options.checksPayload = false
        mockOptions(&options)
        mock = try MockAPNs.start(options)
        mock.setScript(script)
        reactor = try Reactor(name: "client")
        var clientOptions = PushClientOptions(url: mock.url, trust: .file(mock.caFile))
        clientOptions.pushDeadline = .seconds(60)
        clientOptions.connectTimeout = .seconds(20)
        clientOptions.initialBackoff = .milliseconds(20)
        clientOptions.maximumBackoff = .milliseconds(200)
        change(&clientOptions)
        client = try PushClient(
            reactor: reactor, options: clientOptions,
            credential: credential(
                ProviderCredential(keyFile: mock.keyFile, keyIdentifier: mock.keyID, teamIdentifier: mock.teamID)))
    }

    func run(_ total: Int, firstTag: UInt64 = 0) async throws -> OutcomeRecorder {
        let template = try PushTemplate(
            destination: .pushToStartToken, event: .start,
            headers: try PushHeaders(
                topic: PushHeaders.liveActivityTopic(bundleIdentifier: mock.bundleID), priority: .immediate,
                expiration: 1_900_000_000),
            identifier: PushIdentifier(broadcast: UniqueID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)),
            body: #"{"aps":{"timestamp":1700000000,"event":"start","content-state":{}}}"#.utf8)
        let recorder = OutcomeRecorder(client, template, total: total, firstTag: firstTag)
        await recorder.run()
        return recorder
    }

    /// Tags by token, as the mock accepted them.
    func acceptedTags() -> [UInt64: Int] {
        mock.acceptedByToken().reduce(into: [:]) { tags, entry in
            tags[UInt64(entry.key.suffix(16), radix: 16) ?? .max, default: 0] += entry.value
        }
    }

    func close() async {
        await client.shutdown(deadline: .seconds(2))
        mock.stop()
        reactor.stop()
        try? FileManager.default.removeItem(at: directory)
    }
}
