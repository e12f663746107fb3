import LiveActivity
import NIOCore
import TimeCore

/// Simulates marketing systems, one for each API key.
struct BroadcastPlayer: CallPlayer {
    struct Options: Sendable {
        var mix = CallMix.standard
        /// The share (0 to 1) of starts and updates that address a list of devices.
        var targetShare = 0.0
        /// The number of devices in the list of a targeted call.
        var targets = 10
        /// The time from registration to `ends_at`.
        var lifetime = TimeInterval.seconds(3600)
        /// True to force the end of activities without reported devices.
        var forcesEnds = false
        /// True to start one activity and stop.
        var startsOne = false
        /// The type of all activities.
        var activityType = ""
        /// The number of the run, on which tokens depend.
        var run = 0
        /// True to record the requested contents and to let some phones report again.
        var comparesPhones = false
    }

    private struct Report: Hashable {
        let activity: Int
        let device: Int
    }

    private(set) var tracker: ActivityTracker
    /// The number of pushes that the provider accepted, according to the answers.
    private(set) var pushes = PerKind(0)
    /// The id of the most recently started activity.
    private(set) var startedID: String?
    private(set) var isFinished = false
    /// The requested contents; empty unless phones are compared.
    private(set) var asked = AskedContents()
    /// Sentences about reports that the gateway assigned to another activity.
    private(set) var wrongReports: [String] = []
    /// The relaunched phones that have yet to report.
    private var relaunched: [Report] = []
    /// The reports under way after a relaunch.
    private var repeated: Set<Report> = []
    private let options: Options
    private let requests: [MarketingRequests]
    private let syncs: [SyncRequest]
    private var generator: SplitMix64
    private var number = 0

    let readsAnswers = true
    /// One in this number of phones is relaunched after its report.
    private static let relaunches = 8

    /// - Parameters:
    ///   - requests: One for each API key.
    ///   - syncs: One for each API key; empty if devices do not report.
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

    var hasFollowUps: Bool { tracker.isReporting || !relaunched.isEmpty }

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
            if options.comparesPhones {
                asked.sent(number, of: step.activity, isEnd: step.kind == .end, devices: targets)
            }
            request.writeBytes(
                own.broadcast(
                    step.kind, activity.id, attributes: PhonePlan.Attributes.activity.text(step.activity),
                    targets: targets, number: number, isForced: step.kind == .end && options.forcesEnds))
        }
        return PlayedCall(kind: step.kind, subject: step.activity, number: number)
    }

    /// Returns a contiguous part of the activity's devices; nil to address all of them.
    private mutating func targets(_ step: ActivityTracker.Step, _ activity: PlayedActivity) -> [Int]? {
        guard options.targetShare > 0, generator.fraction() < options.targetShare else { return nil }
        let count = min(options.targets, activity.startedCount)
        let room = activity.startedCount - count
        let offset = activity.startedOffset + (room > 0 ? Int.random(in: 0...room, using: &generator) : 0)
        if step.kind == .start { tracker.startNarrowed(step.activity, offset: offset, count: count) }
        return (offset..<offset + count).map { tracker.device(activity, $0) }
    }

    mutating func nextFollowUp(to request: inout ByteBuffer, at now: MonotonicTime) -> PlayedCall? {
        while let report = relaunched.popLast() {
            guard let activity = tracker.activities[report.activity] else { continue }
            repeated.insert(report)
            request.writeBytes(
                syncs[activity.key].request(
                    report.device, .type(options.activityType),
                    rotation: LoadTarget.rotation(report.activity, run: options.run)))
            return PlayedCall(kind: .sync, subject: report.activity, number: report.device)
        }
        guard let (number, device) = tracker.nextReport(), let activity = tracker.activities[number] else { return nil }
        request.writeBytes(
            syncs[activity.key].request(
                device, .id(activity.id), rotation: LoadTarget.rotation(number, run: options.run)))
        return PlayedCall(kind: .sync, subject: number, number: device)
    }

    private mutating func reportEnded(_ report: Report, _ reply: BroadcastReply, isRepeated: Bool) {
        guard options.comparesPhones, case .done(let answered) = reply.result else { return }
        if let id = tracker.activities[report.activity]?.id, !answered.isEmpty, answered != id {
            wrongReports.append("device \(report.device) reported \(id), and the gateway took it for \(answered)")
        }
        guard !isRepeated else { return }
        asked.reported(report.device, of: report.activity)
        if report.device % Self.relaunches == 0 { relaunched.append(report) }
    }

    mutating func callEnded(_ call: PlayedCall, _ outcome: CallOutcome, at now: MonotonicTime) {
        let reply = BroadcastReply(outcome)
        if call.kind == .sync {
            let report = Report(activity: call.subject, device: call.number)
            let isRepeated = repeated.remove(report) != nil
            reportEnded(report, reply, isRepeated: isRepeated)
            if isRepeated { return }
        } else if options.comparesPhones, reply.isSuccess {
            asked.succeeded(call.number, of: call.subject)
        }
        if call.kind == .start, reply.isSuccess { startedID = tracker.activities[call.subject]?.id }
        pushes[call.kind] += reply.pushes
        tracker.callEnded(ActivityTracker.Step(kind: call.kind, activity: call.subject), reply.result)
        if options.startsOne, call.kind != .sync { isFinished = call.kind == .start || !reply.isSuccess }
    }
}
