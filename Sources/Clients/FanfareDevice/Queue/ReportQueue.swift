import Foundation

/// What waits to be told to the gateway, and what the gateway has confirmed. One report is on its way at a time.
///
/// - A state that is told already, or waits already, is not queued again.
/// - A newer state takes the place of an older one of the same subject that has not arrived.
/// - Reports of one lane are sent in their order; a device's description goes first, its erasure behind all else of it.
/// - One that has failed less often goes before others, so that one which never gets through holds up its lane alone.
/// - At most `capacity` reports wait. Beyond that the oldest tap makes way, then the oldest dismissal, then the oldest
///   sync; when there is none the new report is not taken.
struct ReportQueue: Codable, Equatable, Sendable {
    static let capacity = 1200

    private(set) var waiting: [QueuedReport] = []
    private(set) var confirmed: [String: Confirmation] = [:]
    private(set) var refusals: [Refusal] = []
    var hold: Hold?
    /// Failures of one cause in a row.
    var failures = 0
    private var lastID: UInt64 = 0
    /// States whose request had no answer, and when.
    private var unsettled: [String: [Confirmation]] = [:]
    private(set) var underWay: UInt64?

    // MARK: What is to be told

    /// - Returns: the report's number, also where an equal one waits; nil when the gateway knows it, or the queue is
    ///   full.
    @discardableResult
    mutating func submit(
        _ report: Report, for identity: DeviceIdentity, at now: Moment, refreshAfter: TimeInterval, wait: Wait? = nil
    ) -> UInt64? {
        let subject = report.subject(identity)
        let same = waiting.filter { $0.subject == subject }
        if let last = same.last, last.report == report, last.identity == identity {
            if let wait, let index = waiting.firstIndex(where: { $0.id == last.id }) { waiting[index].wait = wait }
            return last.id
        }
        if same.isEmpty, isConfirmed(report, subject, identity, now, refreshAfter) { return nil }
        // What waits behind a token may rest on it, so a newer one waits in its place; a wish is one among others, in
        // their order.
        let place = report.isRemembered ? waiting.firstIndex { $0.subject == subject && $0.id != underWay } : nil
        waiting.removeAll { $0.subject == subject && $0.id != underWay }
        if case .dismissed(let systemID, _, _) = report {
            waiting.removeAll { $0.isRepetition && $0.subject == "sync:" + systemID }
        }
        guard waiting.count < ReportQueue.capacity || makeRoom() else { return nil }
        return append(report, identity, now, wait, at: place ?? placeBeforeSchedules(of: report, identity))
    }

    private func isConfirmed(
        _ report: Report, _ subject: String, _ identity: DeviceIdentity, _ now: Moment, _ refreshAfter: TimeInterval
    ) -> Bool {
        guard let last = confirmed[subject] else { return false }
        return last.report == report && last.identity == identity && now.elapsed(since: last.at) < refreshAfter
    }

    private mutating func append(
        _ report: Report, _ identity: DeviceIdentity, _ now: Moment, _ wait: Wait?, isRepetition: Bool = false,
        at place: Int? = nil
    ) -> UInt64 {
        lastID += 1
        var queued = QueuedReport(id: lastID, report: report, identity: identity, queuedAt: now)
        queued.wait = wait
        queued.isRepetition = isRepetition
        waiting.insert(queued, at: min(place ?? waiting.count, waiting.count))
        return lastID
    }

    /// An activity is there before anything is scheduled for it: where a sync of the former one was withdrawn, a
    /// schedule may wait that rests on this one.
    private func placeBeforeSchedules(of report: Report, _ identity: DeviceIdentity) -> Int? {
        guard case .sync = report else { return nil }
        let lane = report.lane(identity)
        let first = waiting.firstIndex { queued in
            guard queued.id != underWay, queued.identity == identity, queued.lane == lane else { return false }
            return switch queued.report {
            case .schedule, .sync: true
            default: false
            }
        }
        guard let first, case .schedule = waiting[first].report else { return nil }
        return first
    }

    private mutating func makeRoom() -> Bool {
        for kind in ["tap", "dismissed", "sync"] {
            if let index = waiting.firstIndex(where: { $0.report.kind == kind && $0.id != underWay }) {
                waiting.remove(at: index)
                return true
            }
        }
        return false
    }

    /// Takes back what has not been sent, as far as it is not on its way.
    mutating func withdraw(where matches: (QueuedReport) -> Bool) {
        waiting.removeAll { $0.id != underWay && matches($0) }
    }

    /// Forgets what was confirmed, so that it is told again when it is reported again.
    mutating func forgetConfirmations(where matches: (Confirmation) -> Bool) {
        confirmed = confirmed.filter { !matches($0.value) }
    }

    mutating func note(_ refusal: Refusal) {
        refusals.append(refusal)
        if refusals.count > 16 { refusals.removeFirst() }
    }

    /// The app runs again: nothing was before a clock that was set back.
    mutating func launched(at now: Moment) {
        waiting = waiting.map { $0.capped(at: now) }
        if let hold { self.hold?.wait = hold.wait.capped(at: now) }
        confirmed = confirmed.mapValues { $0.capped(at: now) }
        unsettled = unsettled.mapValues { $0.map { $0.capped(at: now) } }
    }

    // MARK: Its way

    /// Takes the next report that may be sent now; nil: none may, or one is on its way.
    mutating func begin(at now: Moment) -> QueuedReport? {
        guard underWay == nil, let id = next(at: now), let index = waiting.firstIndex(where: { $0.id == id })
        else { return nil }
        underWay = id
        // From here on the gateway may have either.
        if !waiting[index].isRepetition { confirmed[waiting[index].subject] = nil }
        return waiting[index]
    }

    private func next(at now: Moment) -> UInt64? {
        func order(_ queued: QueuedReport) -> (Int, Int) { (queued.failures, queued.report.kind == "device" ? 0 : 1) }
        return sendable().filter { left($0, at: now) == 0 }.min { order($0) < order($1) }?.id
    }

    /// The seconds for which a report waits, of its own or with all.
    private func left(_ queued: QueuedReport, at now: Moment) -> TimeInterval {
        max(queued.wait?.left(at: now) ?? 0, hold?.left(for: queued.id, at: now) ?? 0)
    }

    /// Those that nothing in front of them holds up.
    private func sendable() -> [QueuedReport] {
        var lanes: Set<String> = []
        var devices: Set<String> = []
        var erased: Set<String> = []
        var types: Set<String> = []
        return waiting.filter { queued in
            let device = queued.identity.name
            var type: String?
            if case .sync(let sync) = queued.report { type = sync.activityType }
            defer {
                if let type, queued.holdsUpItsType { types.insert(type) }
                if !queued.isRepetition { lanes.insert(queued.lane) }
                devices.insert(device)
                if queued.report == .erase { erased.insert(device) }
            }
            if erased.contains(device) || type.map(types.contains) ?? false { return false }
            if queued.report == .erase { return !devices.contains(device) }
            return !lanes.contains(queued.lane)
        }
    }

    /// The seconds until a report may be sent; nil: none waits, or one is on its way.
    func pause(at now: Moment) -> TimeInterval? {
        underWay == nil ? sendable().map { left($0, at: now) }.min() : nil
    }

    // MARK: Its end

    /// Ends the way of the report that is under way. Those that follow are about what becomes of it.
    mutating func ended(_ id: UInt64) -> QueuedReport? {
        guard underWay == id else { return nil }
        underWay = nil
        return waiting.first { $0.id == id }
    }

    /// Counts that nothing more is sent for a while because of it.
    mutating func failed(_ id: UInt64) {
        failures += 1
        update(id) {
            $0.failures += 1
            if $0.isPassed { $0.strikes += 1 }
            $0.isPassed = false
        }
    }

    /// The gateway has answered for what it was sent: what fails from now on is not for want of it.
    mutating func served() {
        hold = nil
        failures = 0
        for index in waiting.indices where waiting[index].failures > 0 { waiting[index].isPassed = true }
    }

    mutating func remove(_ id: UInt64) { waiting.removeAll { $0.id == id } }

    /// Changes one that waits.
    mutating func update(_ id: UInt64, _ change: (inout QueuedReport) -> Void) {
        if let index = waiting.firstIndex(where: { $0.id == id }) { change(&waiting[index]) }
    }

    mutating func postpone(_ id: UInt64, _ wait: Wait) {
        update(id) {
            $0.wait = wait
            $0.tries += 1
        }
    }

    /// Notes that the gateway has it. When an older state of the subject may still be under way to the gateway, it is
    /// said once more when that must have ended.
    mutating func confirm(_ queued: QueuedReport, at now: Moment, settling: TimeInterval) {
        remove(queued.id)
        guard queued.report.isState else { return }
        let subject = queued.subject
        if queued.report.isRemembered {
            // What is not worth sending any more is not worth remembering.
            confirmed = confirmed.filter { now.elapsed(since: $0.value.at) < $0.value.report.lifetime ?? .infinity }
            confirmed[subject] = Confirmation(report: queued.report, identity: queued.identity, at: now)
        }
        // One that is equal counts as well: it may arrive behind the next one.
        let late = (unsettled[subject] ?? []).filter { now.elapsed(since: $0.at) < settling }
        unsettled[subject] = late.isEmpty ? nil : late
        let others = late.filter { $0.report != queued.report || $0.identity != queued.identity }
        let left = others.map { settling - now.elapsed(since: $0.at) }.max() ?? 0
        guard left > 0, !waiting.contains(where: { $0.subject == subject }) else { return }
        _ = append(queued.report, queued.identity, now, Wait(from: now, seconds: left), isRepetition: true)
    }

    /// Notes that its request had no answer and may arrive late. An erasure of the device waits until that is over, so
    /// that it does not take back what follows it.
    mutating func lost(_ queued: QueuedReport, at now: Moment, settling: TimeInterval) {
        let wait = Wait(from: now, seconds: settling)
        for index in waiting.indices where waiting[index].identity == queued.identity {
            if waiting[index].report == .erase { waiting[index].wait = wait }
        }
        guard queued.report.isState else { return }
        unsettled = unsettled.filter { $0.value.contains { now.elapsed(since: $0.at) < settling } }
        var lost = (unsettled[queued.subject] ?? []).filter {
            $0.report != queued.report || $0.identity != queued.identity
        }
        lost.append(Confirmation(report: queued.report, identity: queued.identity, at: now))
        unsettled[queued.subject] = lost.suffix(8)
    }

    /// How long requests for somebody may still arrive that had no answer.
    func settlement(of identity: DeviceIdentity, at now: Moment, settling: TimeInterval) -> Wait? {
        let lost = unsettled.values.flatMap { $0 }.filter { $0.identity == identity }
        let left = lost.map { settling - now.elapsed(since: $0.at) }.max() ?? 0
        return left > 0 ? Wait(from: now, seconds: left) : nil
    }

    /// Drops what a newer report of the same subject stands for, which takes its place where something may rest on it.
    mutating func dropIfReplaced(_ queued: QueuedReport) {
        guard let newer = waiting.last(where: { $0.subject == queued.subject && $0.id > queued.id }) else { return }
        if queued.report.isRemembered, let place = waiting.firstIndex(where: { $0.id == queued.id }) {
            waiting.removeAll { $0.id == newer.id }
            waiting.insert(newer, at: place)
        }
        remove(queued.id)
    }

    /// Drops what is not worth sending any more, and tells it. So is what has kept an erasure waiting for a day because
    /// it does not get through.
    mutating func expire(at now: Moment, triesOfOne: Int) -> [QueuedReport] {
        let overdue = waiting.filter { $0.report == .erase && now.elapsed(since: $0.queuedAt) >= 86_400 }.map(
            \.identity)
        let expired = waiting.filter { queued in
            guard queued.id != underWay else { return false }
            let isInTheWay =
                queued.report != .erase && queued.failures >= triesOfOne && overdue.contains(queued.identity)
            return isInTheWay || queued.isExpired(at: now)
        }
        let ids = Set(expired.map(\.id))
        waiting.removeAll { ids.contains($0.id) }
        return expired
    }
}
