import LiveActivity
import RosterCore
import Testing

@Suite("The step for one device")
struct SlotStepTests {
    /// A row of the table in `docs/lives.md`.
    struct Row: Sendable, CustomTestStringConvertible {
        var wanted = WantedState.running
        let has: SlotState
        let evidence: SlotEvidence
        let step: SlotStep
        var testDescription: String { "\(wanted), \(has), \(evidence)" }
    }

    private typealias Status = DeliveryStatus

    private static func has(
        _ status: UInt8, _ report: SlotState.Report = .none, age: Int64 = 0, isBeingStarted: Bool = false
    ) -> SlotState {
        var state = SlotState(status: status, report: report, age: age)
        state.isBeingStarted = isBeingStarted
        return state
    }

    private static let (accepted, unknown) = (Status.startAccepted, Status.startUnknown)
    private static let (ended, dismissed) = (Status.firstEnd, Status.ended(.userDismissed))

    private static let reports: [Row] = [
        Row(wanted: .ended, has: has(accepted, .token), evidence: .report(hasMissed: false), step: .end),
        Row(wanted: .ended, has: has(accepted, .shown), evidence: .report(hasMissed: true), step: .nothing),
        Row(wanted: .ended, has: has(ended, .token), evidence: .report(hasMissed: true), step: .end),
        Row(wanted: .ended, has: has(ended, .token), evidence: .report(hasMissed: false), step: .nothing),
        Row(has: has(accepted, .token), evidence: .report(hasMissed: true), step: .update),
        Row(has: has(accepted, .shown), evidence: .report(hasMissed: true), step: .nothing),
        Row(has: has(accepted, .token), evidence: .report(hasMissed: false), step: .nothing),
    ]

    private static let searches: [Row] = [
        Row(has: has(accepted, .deadToken, age: 29), evidence: .search, step: .nothing),
        Row(has: has(accepted, .deadToken, age: 30), evidence: .search, step: .start),
        Row(has: has(unknown, .deadToken, age: 30), evidence: .follower, step: .start),
        Row(has: has(accepted, age: 1000), evidence: .follower, step: .nothing),
        Row(has: has(unknown, age: 1000), evidence: .search, step: .nothing),
        Row(has: has(unknown, age: 1000), evidence: .follower, step: .nothing),
        Row(has: has(Status.registered, .noneSinceHealing), evidence: .search, step: .start),
        Row(has: has(unknown, .noneSinceHealing, age: 119), evidence: .search, step: .nothing),
        Row(has: has(unknown, .noneSinceHealing, age: 120), evidence: .search, step: .start),
        Row(has: has(Status.startFailed, .noneSinceHealing), evidence: .search, step: .nothing),
        Row(has: has(Status.startUnsent), evidence: .search, step: .nothing),
    ]

    private static let requests: [Row] = [
        Row(has: has(Status.registered), evidence: .follower, step: .start),
        Row(has: has(Status.startFailed), evidence: .follower, step: .start),
        Row(has: has(ended), evidence: .follower, step: .start),
        Row(
            has: has(Status.registered, isBeingStarted: true), evidence: .follower, step: .nothing),
        Row(wanted: .ended, has: has(accepted), evidence: .follower, step: .end),
        Row(wanted: .ended, has: has(dismissed), evidence: .follower, step: .nothing),
        Row(has: has(Status.startUnsent), evidence: .leftOut, step: .start),
        Row(has: has(Status.registered), evidence: .leftOut, step: .nothing),
        Row(has: has(Status.registered), evidence: .unsent, step: .start),
        Row(has: has(Status.startFailed), evidence: .failed, step: .start),
        Row(has: has(unknown), evidence: .unknown, step: .start),
        Row(has: has(accepted, age: 60), evidence: .notSynced(60), step: .start),
        Row(has: has(accepted, .other, age: 60), evidence: .notSynced(60), step: .nothing),
        Row(has: has(dismissed), evidence: .named, step: .start),
        Row(has: has(Status.removed), evidence: .named, step: .nothing),
    ]

    @Test("Each row of the table holds", arguments: reports + searches + requests)
    func row(row: Row) {
        #expect(SlotStep.next(wanted: row.wanted, has: row.has, evidence: row.evidence) == row.step)
    }

    private static let evidences: [SlotEvidence] = [
        .search, .follower, .leftOut, .unsent,
        .failed, .unknown, .notSynced(0), .named,
    ]

    @Test("A Live Activity that has reported is not started again", arguments: evidences)
    func reported(evidence: SlotEvidence) {
        for status: UInt8 in 0..<16 {
            for report in [SlotState.Report.token, .shown] {
                let has = SlotState(status: status, report: report, age: 1_000_000)
                #expect(SlotStep.next(wanted: .running, has: has, evidence: evidence) == .nothing)
            }
        }
    }

    @Test("A named device is left alone for ten seconds after its start, unless no report is awaited")
    func justStarted() {
        for report in SlotState.Report.allCases {
            for (age, isAwaited) in [(9, true), (10, true), (9, false)] as [(Int64, Bool)] {
                var has = SlotState(status: DeliveryStatus.startAccepted, report: report, age: age)
                has.isAwaited = isAwaited
                let isSilent = report == .none || report == .noneSinceHealing
                let isLeft = has.isReported || isSilent && isAwaited && age < 10
                let step = SlotStep.next(wanted: .running, has: has, evidence: .named)
                #expect(step == (isLeft ? .nothing : .start), "\(has)")
            }
        }
    }

    @Test("A device that follows a channel is never silent")
    func channel() {
        var has = SlotState(status: DeliveryStatus.startAccepted, report: .none, age: 1000)
        #expect(SlotStep.next(wanted: .running, has: has, evidence: .notSynced(1)) == .start)
        has.mayBeSilent = true
        #expect(SlotStep.next(wanted: .running, has: has, evidence: .notSynced(1)) == .nothing)
    }
}
