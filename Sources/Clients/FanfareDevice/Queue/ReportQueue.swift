import Foundation

/// The waiting reports and the confirmed states. One report is sent at a time.
///
/// - A state that is confirmed or waiting is not queued again.
/// - A newer state replaces an older waiting one of the same subject.
/// - Reports of one lane are sent in order. A device's description goes first, and its erasure after all its other
///   reports.
/// - Reports with fewer failures go first, so that one that always fails blocks only its lane.
/// - At most `capacity` reports wait. Above that the oldest tap is dropped, else the oldest dismissal, else the oldest
///   sync. Without any of these the new report is rejected.
struct ReportQueue: Codable, Equatable, Sendable {
    static let capacity = 1200

    private(set) var waiting: [QueuedReport] = []
    private(set) var confirmed: [String: Confirmation] = [:]
    private(set) var refusals: [Refusal] = []
    var hold: Hold?
    /// The number of consecutive failures of one cause.
    var failures = 0
    private var lastID: UInt64 = 0
    /// States whose request had no answer, with the time.
    private var unsettled: [String: [Confirmation]] = [:]
    private(set) var underWay: UInt64?

    // MARK: Waiting reports

    /// - Returns: The id of the new or of an equal waiting report. Nil if the gateway knows the state, or if the queue
    ///   is full.
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
        // Later reports may depend on a remembered state, so a newer one takes its place. A topic's change goes to the
        // end, in the order of the user's changes.
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

    /// An activity must exist before its schedules. A waiting schedule may depend on this sync if an earlier sync was
    /// withdrawn.
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

    /// Withdraws matching reports, except the one being sent.
    mutating func withdraw(where matches: (QueuedReport) -> Bool) {
        waiting.removeAll { $0.id != underWay && matches($0) }
    }

    /// Forgets confirmations, so that the states are sent again when reported again.
    mutating func forgetConfirmations(where matches: (Confirmation) -> Bool) {
        confirmed = confirmed.filter { !matches($0.value) }
    }

    mutating func note(_ refusal: Refusal) {
        refusals.append(refusal)
        if refusals.count > 16 { refusals.removeFirst() }
    }

    /// Handles a launch. If the clock was set back, no time stays in the future.
    mutating func launched(at now: Moment) {
        waiting = waiting.map { $0.capped(at: now) }
        if let hold { self.hold?.wait = hold.wait.capped(at: now) }
        confirmed = confirmed.mapValues { $0.capped(at: now) }
        unsettled = unsettled.mapValues { $0.map { $0.capped(at: now) } }
    }

    // MARK: Sending

    /// Begins the next report that is due. Returns nil if none is due, or if one is being sent.
    mutating func begin(at now: Moment) -> QueuedReport? {
        guard underWay == nil, let id = next(at: now), let index = waiting.firstIndex(where: { $0.id == id })
        else { return nil }
        underWay = id
        // From now on the gateway may have the old or the new state.
        if !waiting[index].isRepetition { confirmed[waiting[index].subject] = nil }
        return waiting[index]
    }

    private func next(at now: Moment) -> UInt64? {
        func order(_ queued: QueuedReport) -> (Int, Int) { (queued.failures, queued.report.kind == "device" ? 0 : 1) }
        return sendable().filter { left($0, at: now) == 0 }.min { order($0) < order($1) }?.id
    }

    /// The seconds that a report waits, because of its own pause or of the queue's.
    private func left(_ queued: QueuedReport, at now: Moment) -> TimeInterval {
        max(queued.wait?.left(at: now) ?? 0, hold?.left(for: queued.id, at: now) ?? 0)
    }

    /// The reports that no earlier report blocks.
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

    /// The seconds until a report may be sent; nil if none waits or one is being sent.
    func pause(at now: Moment) -> TimeInterval? {
        underWay == nil ? sendable().map { left($0, at: now) }.min() : nil
    }

    // MARK: Results

    /// Ends the sending of a report and returns it. The caller then records the result.
    mutating func ended(_ id: UInt64) -> QueuedReport? {
        guard underWay == id else { return nil }
        underWay = nil
        return waiting.first { $0.id == id }
    }

    /// Counts a failure that pauses sending.
    mutating func failed(_ id: UInt64) {
        failures += 1
        update(id) {
            $0.failures += 1
            if $0.isPassed { $0.strikes += 1 }
            $0.isPassed = false
        }
    }

    /// Records that the gateway answered. Later failures of a report are therefore its own.
    mutating func served() {
        hold = nil
        failures = 0
        for index in waiting.indices where waiting[index].failures > 0 { waiting[index].isPassed = true }
    }

    mutating func remove(_ id: UInt64) { waiting.removeAll { $0.id == id } }

    /// Changes a waiting report.
    mutating func update(_ id: UInt64, _ change: (inout QueuedReport) -> Void) {
        if let index = waiting.firstIndex(where: { $0.id == id }) { change(&waiting[index]) }
    }

    mutating func postpone(_ id: UInt64, _ wait: Wait) {
        update(id) {
            $0.wait = wait
            $0.tries += 1
        }
    }

    /// Records a confirmed report. If a request with an older state may still arrive, the report is sent again after
    /// that.
    mutating func confirm(_ queued: QueuedReport, at now: Moment, settling: TimeInterval) {
        remove(queued.id)
        guard queued.report.isState else { return }
        let subject = queued.subject
        if queued.report.isRemembered {
            // States that are no longer worth sending are forgotten.
            confirmed = confirmed.filter { now.elapsed(since: $0.value.at) < $0.value.report.lifetime ?? .infinity }
            confirmed[subject] = Confirmation(report: queued.report, identity: queued.identity, at: now)
        }
        // An equal state counts too, because it may arrive after a newer one.
        let late = (unsettled[subject] ?? []).filter { now.elapsed(since: $0.at) < settling }
        unsettled[subject] = late.isEmpty ? nil : late
        let others = late.filter { $0.report != queued.report || $0.identity != queued.identity }
        let left = others.map { settling - now.elapsed(since: $0.at) }.max() ?? 0
        guard left > 0, !waiting.contains(where: { $0.subject == subject }) else { return }
        _ = append(queued.report, queued.identity, now, Wait(from: now, seconds: left), isRepetition: true)
    }

    /// Records a request without an answer, which may arrive late. An erasure of the device waits until then, because
    /// it must be the last request to arrive.
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

    /// The time in which unanswered requests of an identity may still arrive; nil if there are none.
    func settlement(of identity: DeviceIdentity, at now: Moment, settling: TimeInterval) -> Wait? {
        let lost = unsettled.values.flatMap { $0 }.filter { $0.identity == identity }
        let left = lost.map { settling - now.elapsed(since: $0.at) }.max() ?? 0
        return left > 0 ? Wait(from: now, seconds: left) : nil
    }

    /// Drops a report if a newer one of its subject waits. The newer one takes its place if later reports may depend on
    /// it.
    mutating func dropIfReplaced(_ queued: QueuedReport) {
        guard let newer = waiting.last(where: { $0.subject == queued.subject && $0.id > queued.id }) else { return }
        if queued.report.isRemembered, let place = waiting.firstIndex(where: { $0.id == queued.id }) {
            waiting.removeAll { $0.id == newer.id }
            waiting.insert(newer, at: place)
        }
        remove(queued.id)
    }

    /// Removes and returns expired reports. Failing reports that have delayed an erasure for a day count as expired.
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
