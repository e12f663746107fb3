import APNs
import APNsCore
import GatewayStore
import LiveActivity
import Logging
import Reactor
import TimeCore

/// Gets channels for the activities of one app in one environment. It creates some ahead, deletes unused ones, and
/// compares the known channels with APNs's list. One gateway at a time does that; any gateway creates a channel for an
/// activity that would have to wait.
final class ChannelKeeper: Sendable {
    let bundleIdentifier: String
    let environment: Device.Environment
    let store: StoredChannels
    let calls: ChannelCalls
    let options: ChannelOptions
    let rules: ChannelRules
    let wallClock: @Sendable () -> WallTime
    let logger: Logger
    let holder = UniqueID.random()
    let state = Locked(State())
    private let task = Locked<Task<Void, Never>?>(nil)

    /// The mutable state.
    struct State: Sendable {
        var creations = ChannelSupply()
        var upkeep = ChannelSupply()
        var calls: [CallName: Int] = [:]
        var counts = ChannelCounts()
        /// The position at which the next search of the channels in use continues.
        var cursor = "0"
        var comparedAt: MonotonicTime?
        /// The known channels that the last list from APNs lacks.
        var missing: Set<String> = []
    }

    /// By which calls are counted.
    struct CallName: Hashable, Sendable {
        let request: String
        let result: String
    }

    init(
        _ store: StoredChannels, _ calls: ChannelCalls, bundleIdentifier: String, environment: Device.Environment,
        options: ChannelOptions, wallClock: @escaping @Sendable () -> WallTime, logger: Logger
    ) {
        self.store = store
        self.calls = calls
        self.bundleIdentifier = bundleIdentifier
        self.environment = environment
        self.options = options
        self.wallClock = wallClock
        self.logger = logger
        rules = ChannelRules(grace: options.grace)
    }

    /// Begins to keep the channels.
    func start() {
        let running = Task { [self] in
            while !Task.isCancelled {
                await round()
                let pause = options.period.cut(random: UInt64.random(in: .min ... .max))
                try? await Task.sleep(for: pause.duration)
            }
        }
        task.withLock { $0 = running }
    }

    /// Ends what is under way, and leaves the channels to other gateways.
    func stop() async {
        let running = task.withLock { task in
            defer { task = nil }
            return task
        }
        running?.cancel()
        calls.close()
        await running?.value
        try? await store.returnLease(holder)
    }

    /// A channel for an activity: one that is ready, or one that is made now. Nil when none can be had.
    func channel(for activity: UniqueID, _ environment: Device.Environment, storesNewest: Bool) async -> String? {
        do {
            let ready = try await store.take(for: activity, environment: environment, storesNewest: storesNewest)
            if let ready { return ready }
        } catch {
            return nil
        }
        return await make(for: (activity, environment, storesNewest))
    }

    /// Makes a channel, and records it: for an activity, or for the pool. Nil when that may not be asked for now, or
    /// failed.
    @discardableResult
    func make(for activity: (id: UniqueID, environment: Device.Environment, storesNewest: Bool)?) async -> String? {
        let intent = UniqueID.random()
        guard state.withLock({ $0.creations.mayAsk(now: .now()) }),
            (try? await store.beginCreation(intent)) == true
        else { return nil }
        let answer = await ask(.create(storesNewest: activity?.storesNewest ?? true))
        switch answer {
        case .created(let channel):
            // After a lost reply the channel may be recorded or not. It is recorded again, and never deleted here.
            for _ in 0..<3 {
                if let recorded = try? await store.put(channel, of: intent, for: activity) { return recorded }
            }
        case .unanswered: break
        default: try? await store.cancelCreation(intent)
        }
        return nil
    }

    /// Asks APNs, and takes note of what it says.
    func ask(_ request: ChannelRequest) async -> ChannelAnswer {
        let answer = await calls.ask(request)
        let random = UInt64.random(in: .min ... .max)
        let changed = state.withLock { state in
            state.calls[CallName(request: request.name, result: answer.name), default: 0] += 1
            if case .create = request { return state.creations.answered(answer, now: .now(), random: random) }
            if answer == .deleted { state.creations.channelDeleted() }
            return state.upkeep.answered(answer, now: .now(), random: random)
        }
        if let changed { tell(changed, request, answer) }
        return answer
    }

    private func tell(_ state: ChannelSupply.State, _ request: ChannelRequest, _ answer: ChannelAnswer) {
        guard !Task.isCancelled else { return }
        var metadata: Logger.Metadata = [
            "bundle_id": "\(bundleIdentifier)", "environment": "\(environment.rawValue)", "call": "\(request.name)",
        ]
        if state == .ready {
            return logger.notice("broadcast channel calls available", metadata: metadata)
        }
        metadata["state"] = "\(state.rawValue)"
        if let reason = answer.reason { metadata["reason"] = "\(reason)" }
        metadata["remedy"] = "\(ChannelKeeper.remedy(state))"
        logger.warning("\(ChannelKeeper.sentence(state))", metadata: metadata)
    }

    /// The only way to reach devices that follow a deleted channel.
    static let remedyForDeletion =
        "restart the activity for devices that are not_synced; "
        + "if it belongs to a topic, end the topic and set it live again"

    func logDeletion(_ taken: TakenChannel) {
        logger.warning(
            "broadcast channel deleted at Apple",
            metadata: [
                "bundle_id": "\(bundleIdentifier)", "environment": "\(environment.rawValue)",
                "activity_id": "\(taken.activity)", "channel": "\(taken.channel)",
                "remedy": "\(ChannelKeeper.remedyForDeletion)",
            ])
    }

    private static func remedy(_ state: ChannelSupply.State) -> String {
        switch state {
        case .ready, .trouble: "wait; the gateway retries automatically"
        case .limitReached: "end activities; set apns.channels_exclusive if only these gateways create channels"
        case .featureOff: "enable the app's broadcast capability at Apple, or set apns.broadcast_capability to false"
        case .credentialRefused: "correct the key in the configuration and send SIGHUP"
        case .refused: "compare the bundle id and the channel URLs in the configuration with the reason"
        }
    }

    private static func sentence(_ state: ChannelSupply.State) -> String {
        switch state {
        case .ready, .trouble: "broadcast channel calls unavailable, retrying"
        case .limitReached: "broadcast channel limit reached, starts use tokens"
        case .featureOff: "broadcast capability missing at Apple, starts use tokens"
        case .credentialRefused: "key refused for broadcast channels, starts use tokens"
        case .refused: "broadcast channel call refused"
        }
    }
}

extension ChannelAnswer {
    /// The provider's reason, or the failure of the call.
    fileprivate var reason: String? {
        switch self {
        case .credentialRefused(let reason), .later(let reason, _), .unanswered(let reason), .failed(let reason):
            String(reason.prefix(100))
        case .limitReached: "CannotCreateChannelConfig"
        case .featureOff: "FeatureNotEnabled"
        case .tokenExpired: "ExpiredProviderToken"
        case .created, .deleted, .gone, .listed: nil
        }
    }
}
