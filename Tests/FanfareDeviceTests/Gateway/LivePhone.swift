import Foundation
import Synchronization

@testable import FanfareDevice

/// A scripted phone that runs the whole library against a real gateway.
final class LivePhone: @unchecked Sendable {
    // Confined to one task. A lock guards the state that the library reads from elsewhere.
    static let type = "MatchAttributes"
    static let topics = ["ajax-psv", "az-twente", "nowhere"]

    let identity: DeviceIdentity
    private let gateway: RealGateway
    let file: URL
    private var draws: SeededDraws
    private let clock: FastClock
    let transport: FaultyTransport
    private let signing = Mutex(true)
    private let listed = Mutex<[String]>([])
    private(set) var device: FanfareDevice?
    private var system: ScriptedSystem?
    private(set) var steps: [String] = []
    let seed: UInt64

    // The true state.
    var startToken: Data
    var description = DeviceDescription(osVersion: "18.1", pushOptIn: true, gdprConsent: true, environment: .production)
    var shown: [String: Data?] = [:] { didSet { listed.withLock { $0 = Array(shown.keys) } } }
    var hasDismissed = false
    var wishes: [String: Bool] = [:]
    var scheduled: Set<String> = []
    let external: ExternalActivity?
    var ownID: String?

    init(_ number: Int, _ gateway: RealGateway, seed: UInt64) throws {
        guard let identity = DeviceIdentity(insiderID: "user-\(number)", udid: "phone-\(number)") else {
            throw Failure("no identity")
        }
        self.identity = identity
        self.gateway = gateway
        self.seed = seed
        file = gateway.folder.appendingPathComponent("phones/\(number)/fanfare.json")
        draws = SeededDraws(seed: seed)
        clock = FastClock(seed: seed &+ 1)
        transport = FaultyTransport(seed: seed &+ 2)
        startToken = draws.token()
        external = ExternalActivity(activityType: LivePhone.type, externalID: "own-\(number)")
    }

    func note(_ step: String) { steps.append(step) }

    // MARK: The app

    func launch() async throws {
        note("launched")
        guard var configuration = FanfareConfiguration(gateway: gateway.url, sdkKey: gateway.tenant.sdkKey) else {
            throw Failure("no configuration")
        }
        // The timeout runs on the fast clock.
        configuration.requestTimeout = 120
        configuration.staleAfter = nil
        configuration.identitySignature = { [weak self] identity in
            guard let self else { throw CancellationError() }
            return sign(identity)
        }
        let system = ScriptedSystem(type: LivePhone.type) { [weak self] in self?.listed.withLock { $0 } ?? [] }
        let device = FanfareDevice(
            configuration, system: system, storage: FileSnapshotStorage(file: file), transport: transport, clock: clock)
        (self.device, self.system) = (device, system)
        await device.start()
        tell(.permission(allowsActivities: true, frequentPushes: true))
        tell(.pushToStartToken(startToken, activityType: LivePhone.type))
        for id in shown.keys.sorted() { tellFound(id) }
        tell(.inventory(Array(shown.keys), activityType: LivePhone.type))
        await device.signIn(identity, description)
    }

    func kill() async {
        note("killed")
        await device?.stop()
        (device, system) = (nil, nil)
    }

    func tell(_ event: SystemEvent) { system?.tell(event) }

    func tellFound(_ id: String) {
        tell(
            .found(
                FoundLiveActivity(systemID: id, activityType: LivePhone.type, externalID: id == ownID ? external : nil))
        )
        if let token = shown[id] ?? nil { tell(.updateToken(token, systemID: id)) }
    }

    private func sign(_ identity: DeviceIdentity) -> String {
        isSigning ? gateway.signature(identity) : String(repeating: "0", count: 64)
    }

    /// True if the app's server signs correctly.
    var isSigning: Bool {
        get { signing.withLock { $0 } }
        set { signing.withLock { $0 = newValue } }
    }

    // MARK: A life

    func step() async throws {
        switch draws.number(0..<14) {
        case 0: rotateStartToken(storm: draws.happens(0.3))
        case 1, 2: rotateToken()
        case 3, 4, 5: await wish()
        case 6: await schedule()
        case 7: await openOwn()
        case 8:
            note("says something else of itself")
            description.appVersion = "7.\(draws.number(0..<9))"
            await device?.describe(description)
        case 9: clock.set(by: draws.happens(0.5) ? -86_400 : 86_400)
        case 10: await dismiss()
        case 11, 12:
            let modes = FaultyTransport.Mode.allCases
            transport.mode = draws.happens(0.4) ? .good : modes[draws.number(0..<modes.count)]
            isSigning = draws.happens(0.8)
            note("network \(transport.mode.rawValue), signatures \(isSigning)")
        default: await device?.retryNow()
        }
        try await Task.sleep(for: .milliseconds(draws.number(0..<60)))
        if draws.happens(0.4) { await kill() }
        try await Task.sleep(for: .milliseconds(draws.number(0..<20)))
        if device == nil { try await launch() }
    }

    private func rotateStartToken(storm: Bool) {
        note("start token rotates\(storm ? ", a storm" : "")")
        for _ in 0..<(storm ? 30 : 1) {
            startToken = draws.token()
            tell(.pushToStartToken(startToken, activityType: LivePhone.type))
        }
    }

    private func rotateToken() {
        guard let id = shown.keys.sorted().randomElement(using: &draws) else { return }
        let token = draws.token()
        shown[id] = token
        note("token of \(id) rotates to …\(token.hex.suffix(6))")
        tell(.updateToken(token, systemID: id))
    }

    private func wish() async {
        let topic = LivePhone.topics[draws.number(0..<3)]
        let follows = draws.happens(0.5)
        note(follows ? "follows \(topic)" : "unfollows \(topic)")
        let outcome = follows ? await device?.follow(topic) : await device?.unfollow(topic)
        if outcome == .noted, topic != "nowhere" { wishes[topic] = follows }
    }

    private func openOwn() async {
        guard ownID == nil, let external else { return }
        let id = "own-\(identity.udid)"
        ownID = id
        shown[id] = draws.token()
        note("opens \(id)")
        tellFound(id)
        await device?.opened(id, as: external)
    }

    private func schedule() async {
        guard ownID != nil, let external, scheduled.count < 10 else { return }
        let label = "label-\(steps.count)"
        note("schedules \(label)")
        let outcome = await device?.schedule(
            .update, in: 500_000, of: external, contentState: #"{"a":1.0}"#, label: label)
        if case .queued = outcome { scheduled.insert(label) }
    }

    private func dismiss() async {
        guard let id = shown.keys.sorted().first, id != ownID, draws.happens(0.3) else { return }
        note("\(id) is dismissed")
        shown[id] = nil
        hasDismissed = true
        // The library learns of it now or at its next launch.
        tell(.phase(.dismissed, systemID: id))
    }

    /// Ends all faults and waits until the phone has sent everything.
    func settle() async throws {
        note("everything works again")
        transport.mode = .good
        isSigning = true
        if device == nil { try await launch() }
        // Longer than the second check for ended Live Activities, and than late requests take.
        try await Task.sleep(for: .seconds(70 / FastClock.pace))
        try await RealGateway.wait("\(identity.insiderID) to tell all: \(await device?.status as Any)") {
            await self.device?.retryNow()
            return await self.device?.flush(within: 60) ?? false
        }
    }
}
