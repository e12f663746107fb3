import Foundation

/// What waits to be told to the gateway, and what the gateway has confirmed. One report is on its way at a time.
///
/// - A state that is told already, or waits already, is not queued again.
/// - A newer state takes the place of an older one of the same subject that has not arrived.
/// - Reports of one lane are sent in their order; a device's description goes first, its erasure behind all else of it.
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

    /// - Returns: the report's number, also where an equal one waits; nil when the gateway knows it, or the queue is full.
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
        return append(report, identity, now, wait, at: place)
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

    // MARK: Its way

    /// Takes the next report that may be sent now; nil: none may, or one is on its way.
    mutating func begin(at now: Moment) -> QueuedReport? {
        guard underWay == nil, hold.map({ $0.wait.left(at: now) == 0 }) ?? true, let id = next(at: now),
            let index = waiting.firstIndex(where: { $0.id == id })
        else { return nil }
        underWay = id
        // From here on the gateway may have either.
        if !waiting[index].isRepetition { confirmed[waiting[index].subject] = nil }
        return waiting[index]
    }

    private func next(at now: Moment) -> UInt64? {
        let ready = sendable().filter { ($0.wait?.left(at: now) ?? 0) == 0 }
        return (ready.first { $0.report.kind == "device" } ?? ready.first)?.id
    }

    /// Those that nothing in front of them holds up.
    private func sendable() -> [QueuedReport] {
        var lanes: Set<String> = []
        var devices: Set<String> = []
        var erased: Set<String> = []
        return waiting.filter { queued in
            let device = queued.identity.name
            defer {
                if !queued.isRepetition { lanes.insert(queued.lane) }
                devices.insert(device)
                if queued.report == .erase { erased.insert(device) }
            }
            if erased.contains(device) { return false }
            if queued.report == .erase { return !devices.contains(device) }
            return !lanes.contains(queued.lane)
        }
    }

    /// The seconds until a report may be sent; nil: none waits, or one is on its way.
    func pause(at now: Moment) -> TimeInterval? {
        guard underWay == nil, let soonest = sendable().map({ $0.wait?.left(at: now) ?? 0 }).min() else { return nil }
        return max(soonest, hold?.wait.left(at: now) ?? 0)
    }

    // MARK: Its end

    /// Ends the way of the report that is under way. Those that follow are about what becomes of it.
    mutating func ended(_ id: UInt64) -> QueuedReport? {
        guard underWay == id else { return nil }
        underWay = nil
        return waiting.first { $0.id == id }
    }

    mutating func remove(_ id: UInt64) { waiting.removeAll { $0.id == id } }

    mutating func postpone(_ id: UInt64, _ wait: Wait) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting[index].wait = wait
        waiting[index].tries += 1
    }

    /// Notes that the gateway has it. When an older state of the subject may still be under way to the gateway, it is said
    /// once more when that must have ended.
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

    /// Notes that its request had no answer and may arrive late. What takes something back is repeated when that is over,
    /// so that it does not take back what follows it; an erasure of the device waits as long.
    mutating func lost(_ queued: QueuedReport, at now: Moment, settling: TimeInterval) {
        let wait = Wait(from: now, seconds: settling)
        for index in waiting.indices where waiting[index].identity == queued.identity {
            if waiting[index].report == .erase || (waiting[index].id == queued.id && queued.report.takesBack) {
                waiting[index].wait = wait
            }
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

    /// Drops what is not worth sending any more, and tells it.
    mutating func expire(at now: Moment) -> [QueuedReport] {
        let expired = waiting.filter { $0.id != underWay && $0.isExpired(at: now) }
        let ids = Set(expired.map(\.id))
        waiting.removeAll { ids.contains($0.id) }
        return expired
    }
}
