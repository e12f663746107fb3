import LiveActivity
import RosterCore
import TestSupport
import Testing

@Suite("Random walks of one device")
struct SlotStepWalkTests {
    @Test("A device shows one Live Activity, and none after its end", arguments: 0..<500)
    func walk(number: Int) {
        let seed = TestSeed.current &+ UInt64(number)
        var walk = SlotWalk(seed: seed)
        for _ in 0..<200 { walk.step() }
        walk.endAndReport()
    }

    @Test("The walk takes every step and meets every kind of state")
    func coverage() {
        var (steps, reports): (Set<SlotStep>, Set<SlotState.Report>) = ([], [])
        for number in 0..<500 {
            var walk = SlotWalk(seed: TestSeed.current &+ UInt64(number))
            for _ in 0..<200 { walk.step() }
            steps.formUnion(walk.steps)
            reports.formUnion(walk.reports)
        }
        #expect(steps == [.nothing, .start, .update, .end])
        #expect(reports == Set(SlotState.Report.allCases))
    }
}

/// A phone, a provider and the store's knowledge of them. The phone's Live Activities are counted by what the provider
/// delivers, and never by the store's state.
private struct SlotWalk {
    private var generator: SeededGenerator
    private let seed: UInt64
    // The phone.
    private var shown = 0
    /// True if the token that the phone has now was reported.
    private var isTokenKnown = false
    /// True if the phone has reported the Live Activity that it shows.
    private var isReported = false
    /// True if the user has allowed Live Activities. Before that, the phone may be silent for ever.
    private var isAllowed = false
    private var sinceDelivery: Int64 = 0
    private var hasNewest = true
    // The store.
    private var has = SlotState(status: DeliveryStatus.registered, report: .none)
    private var wanted = WantedState.running
    /// True if a phone may show two, because the customer has asked to start devices in doubt.
    private var isAsked = false
    private(set) var steps: Set<SlotStep> = []
    private(set) var reports: Set<SlotState.Report> = []

    /// Once its user has allowed them, the phone reports a new Live Activity within 100 seconds, a new token within 20.
    /// A search may act after 120 and 30 seconds.
    private var reportsWithin: Int64 { isReported ? 20 : 100 }

    init(seed: UInt64) {
        (self.seed, generator) = (seed, SeededGenerator(seed: seed))
    }

    private mutating func draw(_ number: Int) -> Int { Int.random(in: 0..<number, using: &generator) }

    mutating func step() {
        switch draw(10) {
        case 0, 1: pass(Int64(draw(60)))
        case 2: if shown > 0 { report(withToken: draw(4) > 0) }
        case 3: loseLiveActivity()
        case 4: rotate()
        case 5: update()
        case 6: if draw(10) == 0 { end() }
        case 7: if draw(20) == 0 { askCustomer() }
        case 8: look(.search)
        default:
            let evidence: [SlotEvidence] = [.follower, .leftOut, .unsent, .failed]
            look(evidence[draw(evidence.count)])
        }
        reports.insert(has.report)
        if !isAsked { #expect(shown <= 1, "seed \(seed): \(has)") }
    }

    private mutating func pass(_ seconds: Int64) {
        has.age += seconds
        sinceDelivery += seconds
        if shown > 0, !isTokenKnown, isAllowed, sinceDelivery >= reportsWithin { report(withToken: draw(4) > 0) }
    }

    private mutating func report(withToken: Bool) {
        let isNew = withToken && !isTokenKnown
        if withToken { isTokenKnown = true }
        (isReported, isAllowed, sinceDelivery) = (true, true, 0)
        guard DeliveryStatus.endReason(has.status) == nil else {
            // The token differs from the one that the end went to.
            has.report = withToken ? .token : has.report
            return take(next(.ended, .report(hasMissed: isNew)))
        }
        if has.report != .token || withToken { has.report = withToken ? .token : .shown }
        if has.status == DeliveryStatus.startUnknown { has.status = DeliveryStatus.startAccepted }
        take(next(wanted, .report(hasMissed: !hasNewest)))
    }

    /// The user restores the phone, or the system drops the Live Activity.
    private mutating func loseLiveActivity() {
        guard shown > 0, isTokenKnown, draw(3) == 0 else { return }
        (shown, isTokenKnown, isReported) = (0, false, false)
    }

    private mutating func rotate() {
        guard shown > 0, isTokenKnown else { return }
        (isTokenKnown, sinceDelivery) = (false, 0)
    }

    private mutating func update() {
        guard wanted == .running else { return }
        hasNewest = false
        guard DeliveryStatus.isLive(has.status), has.report == .token else { return }
        push()
    }

    /// Pushes to the token that the store has. The provider accepts the token of the present Live Activity.
    private mutating func push() {
        has.age = 0
        if shown > 0, isTokenKnown { hasNewest = true } else { has.report = .deadToken }
    }

    private mutating func end() {
        guard wanted == .running, has.status != DeliveryStatus.registered else { return }
        wanted = .ended
        guard DeliveryStatus.isLive(has.status), has.report == .token else { return }
        take(.end)
    }

    private mutating func askCustomer() {
        let evidence: [SlotEvidence] = [.unknown, .notSynced(60), .named]
        let step = next(wanted, evidence[draw(evidence.count)])
        if step == .start { isAsked = true }
        take(step)
    }

    private mutating func look(_ evidence: SlotEvidence) {
        let step = next(wanted, evidence)
        let isSure = has.report == .deadToken || has.report == .noneSinceHealing
        if has.status == DeliveryStatus.startUnknown, !isSure {
            #expect(step != .start, "seed \(seed): \(evidence) for \(has)")
        }
        if step == .start, case .search = evidence {
            take(step, isHealing: true)
        } else {
            take(step)
        }
    }

    private mutating func next(_ wanted: WantedState, _ evidence: SlotEvidence) -> SlotStep {
        let step = SlotStep.next(wanted: wanted, has: has, evidence: evidence)
        steps.insert(step)
        if step == .start, shown > 0, isReported { #expect(has.report == .deadToken, "seed \(seed): \(evidence)") }
        return step
    }

    private mutating func take(_ step: SlotStep, isHealing: Bool = false) {
        switch step {
        case .nothing: break
        case .update: push()
        case .end:
            guard has.report == .token else { return }
            // The provider may accept a token that the phone has replaced.
            guard shown > 0, isTokenKnown || draw(2) == 0 else { return has.report = .deadToken }
            if isTokenKnown { shown = 0 }
            (has.status, has.report, isTokenKnown) = (DeliveryStatus.ended(.endedByAPI), .other, false)
        case .start: start(isHealing: isHealing)
        }
    }

    private mutating func start(isHealing: Bool) {
        #expect(wanted == .running, "seed \(seed)")
        has = SlotState(status: DeliveryStatus.registered, report: isHealing ? .noneSinceHealing : .none)
        let outcome = draw(4)
        has.status =
            [
                DeliveryStatus.startAccepted, DeliveryStatus.startUnknown, DeliveryStatus.startFailed,
                DeliveryStatus.startUnsent,
            ][outcome]
        // The provider may lose an accepted start, and have delivered one in doubt.
        guard outcome == 0 && draw(4) > 0 || outcome == 1 && draw(2) == 0 else { return }
        shown += 1
        (isTokenKnown, isReported, sinceDelivery, hasNewest) = (false, false, 0, true)
    }

    /// The end always arrives: the next report with a token leads to it.
    mutating func endAndReport() {
        end()
        guard wanted == .ended, !isAsked, shown > 0 else { return }
        isTokenKnown = false
        report(withToken: true)
        #expect(shown == 0, "seed \(seed): \(has)")
    }
}
