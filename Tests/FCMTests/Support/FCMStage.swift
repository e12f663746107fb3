import Delivery
import FCM
import FCMCore
import Foundation
import LiveActivity
import PushClient
import Reactor
import TLS
import TestProvider
import Testing
import TimeCore

/// A server for FCM and the token endpoint, and gateways that send to it.
final class FCMStage: Sendable {
    let provider: TestProvider
    let accountFile: String
    static let project = "project-1"
    static let token = #"{"access_token":"ya29.token-NUMBER","expires_in":3599,"token_type":"Bearer"}"#

    /// Answers the nth message by `messages`, and the nth token request by `tokens`.
    init(
        messages: @escaping @Sendable (Int) -> TestProvider.Answer = { _ in .status(200, body: #"{"name":"p/m/0:1"}"#)
        },
        tokens: @escaping @Sendable (Int) -> TestProvider.Answer = {
            .status(200, body: FCMStage.token.replacingOccurrences(of: "NUMBER", with: "\($0)"))
        }
    ) throws {
        provider = try TestProvider()
        provider.initialLimit = 100
        accountFile = TestIdentity.shared.directory.appendingPathComponent("account-\(UUID().uuidString).json").path
        try FCMStage.writeAccount(to: accountFile, port: provider.port)
        let counts = Locked((messages: 0, tokens: 0))
        provider.script = { _, _, path in
            let isToken = path == "/token"
            let number = counts.withLock { counts in
                if isToken { counts.tokens += 1 } else { counts.messages += 1 }
                return isToken ? counts.tokens : counts.messages
            }
            return isToken ? tokens(number) : messages(number)
        }
    }

    static func writeAccount(
        to path: String, port: UInt16, keyFile: String = TestIdentity.shared.rsaKey,
        email: String = "sender@project-1.example",
        project: String = FCMStage.project
    ) throws {
        let key = try String(contentsOfFile: keyFile, encoding: .utf8)
        let members = [
            "type": "service_account", "project_id": project, "private_key_id": "key-1", "private_key": key,
            "client_email": email, "token_uri": "https://localhost:\(port)/token",
        ]
        try JSONSerialization.data(withJSONObject: members).write(to: URL(fileURLWithPath: path))
    }

    var options: FCMOptions {
        var options = FCMOptions(
            serviceAccountFile: accountFile, url: "https://localhost:\(provider.port)",
            trust: .file(TestIdentity.shared.authority))
        options.push.connectTimeout = .seconds(20)
        options.push.pushDeadline = .seconds(60)
        options.push.initialBackoff = .milliseconds(20)
        options.push.maximumBackoff = .milliseconds(200)
        return options
    }

    var messages: [TestProvider.Entry] { provider.ledger.filter { $0.path != "/token" } }
    var tokenRequests: [TestProvider.Entry] { provider.ledger.filter { $0.path == "/token" } }

    static func intent(_ event: PushEvent = .update) -> Intent {
        let text =
            #"{"aps":{"timestamp":1700000000,"event":"\#(event.rawValue)","content-state":{"goals":2},"#
            + #""attributes-type":"Match","attributes":{"id":1},"alert":{"title":"Goal","body":"2:0"}}}"#
        return Intent(
            broadcast: UniqueID(high: 1, low: 2), activity: UniqueID(high: 3, low: 4), event: event,
            content: Array(text.utf8), expiration: 0, priority: .immediate)
    }

    static func run(_ stage: FCMStage, _ body: (FCMStage) async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await body(stage)) } catch { result = .failure(error) }
        await stage.provider.stop()
        try result.get()
    }
}

/// A gateway's sender, on a reactor of its own.
final class FCMGateway: Sendable {
    let sender: FCMSender
    let quota: TestQuota
    let reactor: Reactor

    init(
        _ stage: FCMStage, quota: TestQuota = TestQuota(), shared: TestTokens? = nil,
        wallClock: @escaping @Sendable () -> UInt64 = { 1_800_000_000 }, change: (inout FCMOptions) -> Void = { _ in }
    ) throws {
        reactor = try Reactor(name: "gateway")
        self.quota = quota
        quota.reactor.withLock { [reactor] in $0 = reactor }
        var options = stage.options
        change(&options)
        sender = try FCMSender(
            reactor: reactor, options: options, sharedTokens: shared?.client(on: reactor), quota: { _ in quota },
            wallClock: wallClock)
    }

    func push(_ count: Int, _ event: PushEvent = .update) throws -> Pushes {
        let rendered = try #require(sender.render(FCMStage.intent(event)))
        let pushes = Pushes(sender, rendered, count)
        reactor.execute { pushes.start() }
        return pushes
    }

    func onReactor<Value: Sendable>(_ body: @escaping @Sendable () -> Value?) async -> Value? {
        await reactor.call(stopped: nil) { done in done(body()) }
    }

    func close() async {
        await sender.client.shutdown(deadline: .seconds(2))
        reactor.stop()
    }
}

/// Sends pushes as room permits, and collects their outcomes.
final class Pushes: PushOutcomeReceiver, RoomListener, @unchecked Sendable {
    private let sender: FCMSender
    private let rendered: any RenderedPush
    private let total: Int
    private var given = 0
    private let gathered = Locked<[UInt64: [PushOutcome]]>([:])
    private let told = Locked(0)

    init(_ sender: FCMSender, _ rendered: any RenderedPush, _ total: Int) {
        self.sender = sender
        self.rendered = rendered
        self.total = total
    }

    static func token(_ number: Int) -> String { #"device\"\#(number):APA91b\\"# }

    func start() {
        sender.add(self)
        fill()
    }

    var pushesWaiting: Int { total - given }

    func roomGrew() {
        told.withLock { $0 += 1 }
        fill()
    }

    private func fill() {
        while given < total {
            let token = Array(Self.token(given).utf8)
            let taken = token.withUnsafeBytes { token in
                withUnsafePointer(to: PendingPush(token: token, slot: UInt32(given), tag: UInt64(given))) {
                    sender.push(UnsafeBufferPointer(start: $0, count: 1), rendered, to: self)
                }
            }
            if taken == 0 { break }
            given += 1
        }
        sender.workCame()
    }

    func pushesAccepted(_ pushes: UnsafeBufferPointer<AcceptedPush>) {
        gathered.withLock { gathered in for push in pushes { gathered[push.tag, default: []].append(.accepted) } }
    }

    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>) {
        gathered.withLock { gathered in
            for result in outcomes { gathered[result.tag, default: []].append(result.outcome) }
        }
    }

    /// Keyed by tag.
    var outcomes: [UInt64: [PushOutcome]] { gathered.withLock { $0 } }
    /// The number of room notifications.
    var timesTold: Int { told.withLock { $0 } }

    /// Returns true once this many pushes have ended; false after a timeout.
    func ended(_ count: Int) async -> Bool { await eventually { outcomes.count >= count } }

    var accepted: Int { outcomes.values.count { $0 == [.accepted] } }

    var reasons: Set<String> {
        Set(
            outcomes.values.flatMap { $0 }.map {
                if case .rejected(let rejection) = $0 { rejection.reason } else { "\($0)" }
            })
    }
}

/// Returns true once `condition` holds; false after 20 seconds.
func eventually(_ condition: () async -> Bool) async -> Bool {
    let end = MonotonicTime.now() + .seconds(20)
    while MonotonicTime.now() < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return await condition()
}
