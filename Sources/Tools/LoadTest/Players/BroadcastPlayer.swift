import LiveActivity
import NIOCore
import TimeCore

/// Plays marketing systems: one for each key.
struct BroadcastPlayer: CallPlayer {
    struct Options: Sendable {
        var mix = CallMix.standard
        /// Of starts and updates, how many address a list of devices: 0 to 1.
        var targetShare = 0.0
        /// Devices of such a list.
        var targets = 10
        /// How long an activity is registered for.
        var lifetime = TimeInterval.seconds(3600)
        /// Ends an activity of which no device has reported.
        var forcesEnds = false
        /// Makes one activity, starts it, and stops.
        var startsOne = false
    }

    private(set) var tracker: ActivityTracker
    /// Pushes that the provider has accepted, as the answers say.
    private(set) var pushes = PerKind(0)
    /// The id of the one activity, where one is asked for.
    private(set) var startedID: String?
    private(set) var isFinished = false
    private let options: Options
    private let requests: [MarketingRequests]
    private let syncs: [SyncRequest]
    private var generator: SplitMix64
    private var number = 0

    let readsAnswers = true

    /// - Parameters:
    ///   - requests: One for each key.
    ///   - syncs: Likewise; none when devices do not report.
    init(
        _ options: Options, tracker: ActivityTracker, requests: [MarketingRequests], syncs: [SyncRequest],
        generator: SplitMix64
    ) {
        self.options = options
        self.tracker = tracker
        self.requests = requests
        self.syncs = syncs
        self.generator = generator
    }

    var hasFollowUps: Bool { tracker.isReporting }

    mutating func nextCall(to request: inout ByteBuffer) -> PlayedCall? {
        let wanted = options.startsOne ? .start : options.mix.choose(using: &generator)
        guard let step = tracker.step(wanted: wanted, using: &generator),
            let activity = tracker.activities[step.activity]
        else { return nil }
        number += 1
        let own = requests[activity.key]
        switch step.kind {
        case .register:
            request.writeBytes(
                own.register(tracker.devicesToRegister(step.activity), endsAt: .now() + options.lifetime))
        case .addUsers:
            request.writeBytes(own.addUsers(activity.id, tracker.devicesToRegister(step.activity)))
        default:
            let targets = step.kind == .end ? nil : targets(step, activity)
            request.writeBytes(
                own.broadcast(
                    step.kind, activity.id, targets: targets, number: number,
                    isForced: step.kind == .end && options.forcesEnds))
        }
        return PlayedCall(kind: step.kind, subject: step.activity)
    }

    /// A list of devices that lie side by side in what the activity has; nil for all of them.
    private mutating func targets(_ step: ActivityTracker.Step, _ activity: PlayedActivity) -> [Int]? {
        guard options.targetShare > 0, generator.fraction() < options.targetShare else { return nil }
        let count = min(options.targets, activity.startedCount)
        let room = activity.startedCount - count
        let offset = activity.startedOffset + (room > 0 ? Int.random(in: 0...room, using: &generator) : 0)
        if step.kind == .start { tracker.startNarrowed(step.activity, offset: offset, count: count) }
        return (offset..<offset + count).map { tracker.device(activity, $0) }
    }

    mutating func nextFollowUp(to request: inout ByteBuffer, at now: MonotonicTime) -> PlayedCall? {
        guard let (number, device) = tracker.nextReport(), let activity = tracker.activities[number] else { return nil }
        request.writeBytes(syncs[activity.key].request(device, activityID: activity.id))
        return PlayedCall(kind: .sync, subject: number)
    }

    mutating func callEnded(_ call: PlayedCall, _ outcome: CallOutcome, at now: MonotonicTime) {
        let reply = BroadcastReply(outcome)
        if call.kind == .start, reply.isSuccess { startedID = tracker.activities[call.subject]?.id }
        pushes[call.kind] += reply.pushes
        tracker.callEnded(ActivityTracker.Step(kind: call.kind, activity: call.subject), reply.result)
        if options.startsOne, call.kind != .sync { isFinished = call.kind == .start || !reply.isSuccess }
    }
}
