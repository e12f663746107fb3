import LiveActivity
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("The rules of restarts")
struct RestartRulesTests {
    private static let now = WallTime(seconds: 1_800_000_000)

    private func rules(_ selection: RestartWish.Selection, _ maximum: Int = 2, whole: Bool = true) -> RestartRules {
        RestartRules(
            wish: RestartWish(selection, maximumStarts: maximum), now: Self.now,
            startedAt: WallTime(seconds: Self.now.seconds - 600), wasStartedWhole: whole)
    }

    private func note(_ failure: String?, secondsAgo: Int64) -> PushOutcomeNote {
        PushOutcomeNote(failure: failure, at: WallTime(seconds: Self.now.seconds - secondsAgo))
    }

    private static let statusesBySelection: [(RestartWish.Selection, Set<UInt8>)] = [
        (.unsent, [1, 6]), (.failed, [4]), (.unknown, [5]), (.notSynced(olderThan: .zero), [3]),
        (.targets([]), [1, 3, 4, 5, 6, 17, 20]),
    ]

    @Test(
        "Each selection takes its own delivery statuses, and no others",
        arguments: RestartRulesTests.statusesBySelection)
    func statuses(selection: RestartWish.Selection, expected: Set<UInt8>) {
        for status: UInt8 in [0, 1, 2, 3, 4, 5, 6, 17, 20] {
            let decision = rules(selection).decide(.init(status: status))
            #expect((decision != .notMeant) == expected.contains(status), "\(selection) of \(status)")
            #expect(rules(selection).considers(status) == expected.contains(status))
        }
    }

    @Test("A Live Activity that was shown on a deleted channel counts as silent")
    func lostChannel() {
        for selection in [RestartWish.Selection.notSynced(olderThan: .seconds(60)), .targets([])] {
            var rules = rules(selection)
            let shown = RestartRules.Slot(
                status: 3, mark: TokenPage.liveActivityShownMark, outcome: note(nil, secondsAgo: 100))
            #expect(rules.decide(shown) == (selection == .targets([]) ? .skip(.active) : .notMeant))
            rules.hasLostChannel = true
            #expect(rules.decide(shown) == .start(number: 2))
            #expect(rules.decide(.init(status: 3, mark: nil)) != .start(number: 2))
        }
    }

    @Test("The present login of a phone is started in place of the one that is meant, unless it got a start itself")
    func newOwner() {
        func decide(
            _ selection: RestartWish.Selection, _ status: UInt8, mark: UInt8? = 0, whole: Bool = true,
            noted: Int? = nil
        ) -> RestartRules.Decision {
            let slot = RestartRules.Slot(status: status, mark: mark, notedStarts: noted, inheritedStart: 2)
            return rules(selection, whole: whole).decide(slot)
        }
        let healing = RestartWish.Selection.healing
        for selection in [.unknown, .notSynced(olderThan: .seconds(700)), healing] {
            #expect(rules(selection).startsNewOwners)
            for status: UInt8 in [1, 6] { #expect(decide(selection, status) == .start(number: 2)) }
            #expect(decide(selection, 4) == (selection == healing ? .skip(.noPushToStartToken) : .start(number: 2)))
            #expect(decide(selection, 3) == .skip(.active))
            #expect(decide(selection, 1, mark: TokenPage.liveActivityShownMark) == .skip(.active))
            #expect(decide(selection, 17) == .skip(.ended) && decide(selection, 2) == .skip(.notInSegment))
            #expect(decide(selection, 1, whole: false) == .skip(.noPushToStartToken))
            #expect(decide(selection, 1, noted: 2) == .start(number: 2))
            #expect(decide(selection, 1, noted: 3) == .skip(.startLimit))
        }
        #expect(decide(.unknown, 5, noted: 1) == .start(number: 2))
        #expect(decide(.unknown, 5, noted: 2) == .skip(.startLimit))
    }

    @Test("A Live Activity of another login is ignored if the restart is for such, and never if it is in use")
    func otherLogin() {
        let silent = RestartRules.Slot(status: 3)
        let unknown = RestartRules.Slot(status: 5)
        for selection in [RestartWish.Selection.unsent, .failed, .leftOut([])] {
            #expect(!rules(selection).startsNewOwners)
            #expect(!rules(selection).ignores(silent) && !rules(selection).ignores(unknown))
        }
        #expect(!rules(.targets([])).startsNewOwners)
        #expect(!rules(.unknown).ignores(silent) && rules(.unknown).ignores(unknown))
        let old = RestartWish.Selection.notSynced(olderThan: .seconds(600))
        let older = RestartWish.Selection.notSynced(olderThan: .seconds(601))
        for slot in [silent, unknown] {
            #expect(rules(.targets([])).ignores(slot) && rules(old).ignores(slot) && !rules(older).ignores(slot))
        }
        for selection in [.unknown, .targets([]), old, .healing] {
            for mark in [nil, TokenPage.liveActivityShownMark] {
                #expect(!rules(selection).ignores(.init(status: 3, mark: mark)))
                #expect(!rules(selection).ignores(.init(status: 5, mark: mark)))
            }
        }
    }

    @Test("After a start to a list whoever has no delivery status was not left out, unless it was being started again")
    func list() {
        #expect(rules(.unsent, whole: false).decide(.init(status: 1)) == .notMeant)
        #expect(rules(.unsent, whole: false).decide(.init(status: 1, notedStarts: 1)) == .start(number: 1))
        #expect(rules(.unsent, whole: false).decide(.init(status: 6)) == .start(number: 1))
        #expect(rules(.targets([]), whole: false).decide(.init(status: 1)) == .start(number: 1))
    }

    @Test("Who was made ready for a restart that never came is meant by the same one again, and not by another")
    func neverCame() {
        let outcomes: [(String?, UInt8)] = [(nil, 3), ("InternalServerError", 4), ("unknown", 5)]
        for (failure, former) in outcomes {
            let slot = RestartRules.Slot(status: 1, outcome: note(failure, secondsAgo: 400), notedStarts: 2)
            for (selection, expected) in Self.statusesBySelection {
                let isMeant = expected.contains(1) || expected == [former]
                #expect(!isMeant || rules(selection).reads(slot.status))
                let expectedDecision: RestartRules.Decision = isMeant ? .start(number: 2) : .notMeant
                #expect(rules(selection).decide(slot) == expectedDecision, "\(selection), \(former)")
            }
            // The first start was for others, or is under way.
            for noted in [nil, 1] {
                let other = RestartRules.Slot(status: 1, outcome: note(failure, secondsAgo: 400), notedStarts: noted)
                #expect(rules(.notSynced(olderThan: .zero)).decide(other) == .notMeant)
                #expect(rules(.unknown).decide(other) == .notMeant)
                // A start that was refused counts for none.
                let isRefused = former == 4 && noted == 1
                #expect(rules(.failed).decide(other) == (isRefused ? .start(number: 1) : .notMeant))
            }
        }
        let silent = RestartRules.Slot(status: 1, outcome: note(nil, secondsAgo: 200), notedStarts: 2)
        #expect(rules(.notSynced(olderThan: .seconds(300))).decide(silent) == .notMeant)
    }

    @Test(
        "A Live Activity that is there is not started again; one that has ended, or whose token is dead, is when it is named"
    )
    func active() {
        for selection in [RestartWish.Selection.unsent, .failed, .unknown, .targets([])] {
            for status: UInt8 in [1, 3, 4, 5, 6] where rules(selection).considers(status) {
                #expect(rules(selection).decide(.init(status: status, mark: nil)) == .skip(.active))
            }
        }
        #expect(rules(.targets([])).decide(.init(status: 20, mark: 10)) == .start(number: 2))
        #expect(rules(.targets([])).decide(.init(status: 3, mark: TokenPage.deadTokenMark)) == .start(number: 2))
    }

    @Test("Who does not sync is known by the age of its start; who has reported anything is not silent")
    func notSynced() {
        let rules = rules(.notSynced(olderThan: .seconds(300)))
        #expect(rules.decide(.init(status: 3, outcome: note(nil, secondsAgo: 299))) == .notMeant)
        #expect(rules.decide(.init(status: 3, outcome: note(nil, secondsAgo: 300))) == .start(number: 2))
        // Nothing is known of the outcome: the start of the activity is ten minutes old.
        #expect(rules.decide(.init(status: 3)) == .start(number: 2))
        let old = note(nil, secondsAgo: 500)
        for mark in [nil, TokenPage.liveActivityShownMark] {
            #expect(rules.decide(.init(status: 3, mark: mark, outcome: old)) == .notMeant)
        }
        #expect(rules.decide(.init(status: 3, mark: TokenPage.deadTokenMark, outcome: old)) == .notMeant)
        #expect(rules.decide(.init(status: 3, mark: 10, outcome: old)) == .notMeant)
    }

    @Test("Who has lost a Live Activity is healed, and who was to be healed and was not come to; nobody else")
    func healing() {
        let (dead, healing) = (TokenPage.deadTokenMark, TokenPage.healingMark)
        let old = note(nil, secondsAgo: 300)
        let rules = rules(.healing)
        let refused = { (age: Int64) in note("Unregistered", secondsAgo: age) }
        for (age, expected) in [(29, .notMeant), (30, .start(number: 2))] as [(Int64, RestartRules.Decision)] {
            #expect(rules.decide(.init(status: 3, mark: dead, outcome: refused(age))) == expected)
        }
        #expect(rules.decide(.init(status: 1, mark: healing, notedStarts: 2)) == .start(number: 2))
        #expect(rules.decide(.init(status: 6, mark: healing, notedStarts: 2)) == .start(number: 2))
        let lost = RestartRules.Slot(status: 3, mark: dead, outcome: old, notedStarts: 2)
        #expect(rules.decide(lost) == .skip(.startLimit))
        for status: UInt8 in [1, 4, 5, 6] {
            #expect(rules.decide(.init(status: status, outcome: old)) == .notMeant)
        }
        #expect(rules.decide(.init(status: 4, mark: healing, outcome: old)) == .notMeant)
        // In doubt by healing: once beyond the limit, after two minutes of silence.
        for (noted, expected) in [(1, .start(number: 2)), (2, .start(number: 3)), (3, .skip(.startLimit))]
            as [(Int, RestartRules.Decision)]
        {
            let doubted = RestartRules.Slot(status: 5, mark: healing, outcome: old, notedStarts: noted)
            #expect(rules.decide(doubted) == expected)
        }
        let recent = note("unknown", secondsAgo: 119)
        #expect(rules.decide(.init(status: 5, mark: healing, outcome: recent)) == .notMeant)
        #expect(rules.decide(.init(status: 5, mark: nil, outcome: old)) == .notMeant)
        #expect(rules.decide(.init(status: 17, mark: dead)) == .notMeant)
        for mark in [nil, TokenPage.liveActivityShownMark] {
            #expect(rules.decide(.init(status: 3, mark: mark, outcome: old)) == .notMeant)
        }
        #expect(rules.decide(.init(status: 3, outcome: old)) == .notMeant)
    }

    @Test("A named device that was started within ten seconds is skipped, unless an end waits for its report")
    func justStarted() {
        let rules = rules(.targets([]))
        for mark in [0, TokenPage.healingMark] {
            var slot = RestartRules.Slot(status: 3, mark: mark, outcome: note(nil, secondsAgo: 9))
            #expect(rules.decide(slot) == .skip(.active) && !rules.ignores(slot))
            slot.hasPendingEnd = true
            #expect(rules.decide(slot) == .start(number: 2) && rules.ignores(slot))
            slot = RestartRules.Slot(status: 3, mark: mark, outcome: note(nil, secondsAgo: 10))
            #expect(rules.decide(slot) == .start(number: 2) && rules.ignores(slot))
        }
        let refused = RestartRules.Slot(status: 4, outcome: note("Unregistered", secondsAgo: 1))
        #expect(rules.decide(refused) == .start(number: 1))
    }

    @Test("Starts are counted that a device may have got; one that was refused or never sent is none")
    func limit() {
        let table: [(status: UInt8, noted: Int?, starts: Int)] = [
            (1, nil, 0), (6, nil, 0), (4, nil, 0), (3, nil, 1), (5, nil, 1), (20, nil, 1),
            (1, 2, 1), (6, 2, 1), (4, 2, 1), (3, 2, 2), (5, 3, 3), (20, 2, 2), (6, 0, 0),
        ]
        for (status, noted, starts) in table {
            #expect(RestartRules.starts(status: status, noted: noted) == starts, "\(status), \(noted ?? -1)")
            for maximum in 1...4 {
                let decision = rules(.targets([]), maximum).decide(.init(status: status, notedStarts: noted))
                #expect(decision == (starts < maximum ? .start(number: starts + 1) : .skip(.startLimit)))
            }
        }
    }
}
