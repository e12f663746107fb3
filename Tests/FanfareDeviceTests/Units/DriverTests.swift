import Foundation
import Synchronization
import Testing

@testable import FanfareDevice

/// A way to a model of the gateway.
final class ModelTransport: GatewayTransport {
    let gateway = Mutex(ModelGateway())
    private let status = Mutex<Int?>(nil)
    /// Called before a request is carried.
    let sending = Mutex<(@Sendable (HTTPCall) -> Void)?>(nil)

    func fail(with status: Int?) { self.status.withLock { $0 = status } }

    func send(_ call: HTTPCall) async -> GatewayAnswer {
        sending.withLock { $0 }?(call)
        if let status = status.withLock({ $0 }) { return DeviceMachine.refusal(status, "UNAUTHORIZED") }
        guard let identity = ModelTransport.identity(in: call) else { return .unanswered }
        var path = call.url.path
        if let query = call.url.query { path += "?" + query }
        let request = GatewayRequest(
            method: call.method, path: path, body: call.body, identity: identity,
            idempotencyKey: call.headers["Idempotency-Key"])
        return ScriptedPhone.answered(gateway.withLock { $0.take(request) })
    }

    /// Whose device it is, which the body says, or the query where there is none.
    private static func identity(in call: HTTPCall) -> DeviceIdentity? {
        let body = call.body.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        let items = URLComponents(url: call.url, resolvingAgainstBaseURL: false)?.queryItems
        func value(_ name: String) -> String? {
            body?[name] as? String ?? items?.first { $0.name == name }?.value
        }
        guard let insiderID = value("insider_id"), let udid = value("udid") else { return nil }
        return DeviceIdentity(insiderID: insiderID, udid: udid)
    }
}

/// A place in memory, which may be broken.
final class MemoryStorage: SnapshotStorage {
    struct Broken: Error {}
    let state = Mutex<(data: Data?, isBroken: Bool, aside: Int)>((nil, false, 0))

    func load() throws -> Data? {
        try state.withLock { if $0.isBroken { throw Broken() } else { return $0.data } }
    }

    func save(_ snapshot: Data) throws {
        try state.withLock { if $0.isBroken { throw Broken() } else { $0.data = snapshot } }
    }

    func setAside() { state.withLock { ($0.data, $0.aside) = (nil, $0.aside + 1) } }
}

@Suite("The library as an app uses it")
struct DriverTests {
    let transport = ModelTransport()
    let storage = MemoryStorage()
    let system = ScriptedSystem(type: "Match") { [] }

    private func device(_ change: (inout FanfareConfiguration) -> Void = { _ in }) throws -> FanfareDevice {
        let url = try #require(URL(string: "https://push.example.com"))
        var configuration = try #require(FanfareConfiguration(gateway: url, sdkKey: "key"))
        configuration.identitySignature = { _ in "signature" }
        change(&configuration)
        return FanfareDevice(
            configuration, system: system, storage: storage, transport: transport, clock: FastClock(seed: 1))
    }

    @Test("What the system told before anybody listened is told to the gateway", .timeLimit(.minutes(1)))
    func launch() async throws {
        system.tell(.pushToStartToken(Data([0xAB]), activityType: "Match"))
        let device = try device()
        await device.start()
        await device.signIn(Given.ann, Given.description)
        try await RealGateway.wait("the token") {
            transport.gateway.withLock { $0.startTokens["Match"]?.token == "ab" }
        }
        #expect(await device.flush(within: 100))
        #expect(await device.status.delivery == .idle)
        await device.stop()
    }

    @Test("What is said before the start does not undo what was kept", .timeLimit(.minutes(1)))
    func beforeStart() async throws {
        var machine = Given.signedIn()
        _ = machine.wished(true, "m", at: Given.moment(0))
        let data = try Snapshot.data(of: machine)
        storage.state.withLock { $0.data = data }
        let device = try device()
        await device.signIn(Given.ann, Given.description)
        #expect(await device.bell("m") == .pending)
        await device.start()
        try await RealGateway.wait("the wish") { transport.gateway.withLock { $0.wishes["ann"]?["m"] == true } }
        await device.stop()
        let last = storage.state.withLock { $0.data }
        _ = await device.follow("n")
        #expect(storage.state.withLock { $0.data } == last)
    }

    @Test("What is on its way is kept before it is sent", .timeLimit(.minutes(1)))
    func keptBefore() async throws {
        let kept = Mutex<[String]>([])
        let storage = storage
        transport.sending.withLock {
            $0 = { _ in
                let machine = storage.state.withLock { $0.data }.flatMap(Snapshot.machine)
                let underWay = machine?.queue.waiting.first { $0.id == machine?.queue.underWay }
                kept.withLock { $0.append(underWay?.report.kind ?? "nothing") }
            }
        }
        let device = try device()
        await device.start()
        await device.signIn(Given.ann, Given.description)
        system.tell(.pushToStartToken(Data([1]), activityType: "Match"))
        try await RealGateway.wait("the token") { transport.gateway.withLock { $0.startTokens["Match"] != nil } }
        #expect(kept.withLock { $0 } == ["device", "start token"])
        await device.stop()
    }

    @Test("A tap waits for its answer, and no longer than it may", .timeLimit(.minutes(1)))
    func taps() async throws {
        let device = try device()
        await device.start()
        #expect(await device.tapped("a") == .notTaken)
        await device.signIn(Given.ann, Given.description)
        transport.gateway.withLock { $0.pushed["a"] = Given.ann }
        system.tell(.found(FoundLiveActivity(systemID: "a", activityType: "Match")))
        try await RealGateway.wait("its sync") { transport.gateway.withLock { $0.liveActivities["a"] != nil } }
        #expect(
            await device.tapped("a", within: 300)
                == .attributed(TapAttribution(activityID: "a", scheduleID: nil, scheduleName: nil)))
        transport.fail(with: 500)
        #expect(await device.tapped("a", within: 3) == .queued)
        #expect(await device.flush(within: 3) == false)
        #expect(await device.refreshFollows(within: 3) == false)
        await device.stop()
    }

    @Test("A signature is asked for once, and afresh when it is refused", .timeLimit(.minutes(1)))
    func signatures() async throws {
        let asked = Mutex(0)
        let device = try device {
            $0.identitySignature = { _ in
                asked.withLock { $0 += 1 }
                return "signature"
            }
        }
        await device.start()
        await device.signIn(Given.ann, Given.description)
        system.tell(.pushToStartToken(Data([1]), activityType: "Match"))
        try await RealGateway.wait("the token") { transport.gateway.withLock { $0.startTokens["Match"] != nil } }
        #expect(asked.withLock { $0 } == 1)
        transport.fail(with: 401)
        system.tell(.pushToStartToken(Data([2]), activityType: "Match"))
        try await RealGateway.wait("a pause") {
            if case .paused(.unauthorized, _, _) = await device.status.delivery { true } else { false }
        }
        #expect(asked.withLock { $0 } == 2)
        await device.stop()
    }

    @Test("A signature that never comes is no reason to wait for ever", .timeLimit(.minutes(1)))
    func noSignature() async throws {
        let device = try device {
            $0.identitySignature = { _ in
                try await Task.sleep(for: .seconds(3600))
                return ""
            }
        }
        await device.start()
        await device.signIn(Given.ann, Given.description)
        try await RealGateway.wait("a pause") {
            if case .waiting = await device.status.delivery { true } else { false }
        }
        await device.stop()
    }

    @Test("The states of telling come as they change", .timeLimit(.minutes(1)))
    func statuses() async throws {
        let device = try device()
        await device.start()
        var statuses = await device.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.delivery == .idle)
        transport.fail(with: 403)
        await device.signIn(Given.ann, Given.description)
        var last: DeliveryState?
        while let status = await statuses.next() {
            last = status.delivery
            if case .paused = last { break }
        }
        #expect(last.map { if case .paused(.forbidden, "no", _) = $0 { true } else { false } } == true)
        await device.stop()
        while await statuses.next() != nil {}
    }

    @Test("A Live Activity that nothing comes for is ended on the phone", .timeLimit(.minutes(1)))
    func stale() async throws {
        let device = try device { $0.staleAfter = 30 }
        await device.start()
        await device.signIn(Given.ann, Given.description)
        system.tell(.found(FoundLiveActivity(systemID: "a", activityType: "Match")))
        try await RealGateway.wait("its end") { system.endedIDs == ["a"] }
        await device.stop()
    }

    @Test("What is kept and means nothing is put aside, and what cannot be read is left alone", .timeLimit(.minutes(1)))
    func storageTrouble() async throws {
        storage.state.withLock { $0.data = Data("x".utf8) }
        let first = try device()
        await first.start()
        #expect(await first.status.storage == .setAside)
        await first.signIn(Given.ann, Given.description)
        #expect(storage.state.withLock { $0.aside == 1 && $0.data != nil })
        await first.stop()
        let kept = storage.state.withLock { $0.data }
        storage.state.withLock { $0.isBroken = true }
        let second = FanfareDevice(
            first.configuration, system: ScriptedSystem(type: "Match") { [] }, storage: storage, transport: transport,
            clock: FastClock(seed: 1))
        await second.start()
        #expect(await second.status.storage == .unavailable)
        storage.state.withLock { $0.isBroken = false }
        _ = await second.follow("m")
        await second.signIn(Given.bob, Given.description)
        #expect(storage.state.withLock { $0.data } == kept)
        await second.stop()
    }
}
