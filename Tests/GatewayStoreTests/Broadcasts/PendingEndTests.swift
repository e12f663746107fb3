import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Ends of single devices that wait")
struct PendingEndTests {
    /// Three devices that have synced, whose tokens are [1], [2] and [3].
    private static func run(_ body: (StoreStage, ActivityRecord, ActivityReference) async throws -> Void) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let reference = ActivityReference.id(record.activity.id, type: nil)
            for user in 0..<3 {
                #expect(try await stage.sync(user, reference, token: [UInt8(user + 1)]).word == "synced")
            }
            stage.advance(.seconds(1))
            try await body(stage, record, reference)
        }
    }

    private static func setConsent(_ optIn: Bool, of user: Int, _ stage: StoreStage) async throws {
        try await stage.store.devices.putDevice(
            StoreStage.device(optIn: optIn), StoreStage.key(user), tenantID: stage.tenant)
    }

    /// Reports that a Live Activity is there, without its token.
    private static func show(_ user: Int, _ stage: StoreStage, _ reference: ActivityReference) async throws {
        let outcome = try await stage.store.reports.sync(
            StoreStage.key(user), token: nil, reference: reference, systemActivityID: nil, tenantID: stage.tenant)
        #expect(outcome.word == "synced")
    }

    private static func dismiss(_ user: Int, _ stage: StoreStage, _ reference: ActivityReference) async throws {
        let outcome = try await stage.store.reports.dismiss(
            StoreStage.key(user), reference: reference, tenantID: stage.tenant)
        #expect(outcome.dismissal != nil)
    }

    /// Starts a device again, as far as its slot is concerned, and has the start accepted.
    private static func restart(_ user: Int, _ stage: StoreStage, _ record: ActivityRecord) async throws {
        let id = record.activity.id
        let lock = try #require(try await stage.store.restarts.lockRestarts(of: id, for: .random()))
        let wish = RestartWish(.targets([StoreStage.key(user)]), maximumStarts: 9)
        let current = try #require(try await stage.store.activities.activity(id))
        let preparation = try #require(try await stage.store.restarts.prepareRestart(wish, of: current, lock))
        #expect(preparation.slots == [UInt32(user)])
        await stage.store.restarts.unlock(lock)
        try await stage.putStatuses([DeliveryStatus.startAccepted], from: user, id)
    }

    private static func cells(_ stage: StoreStage, _ record: ActivityRecord) async throws -> [RosterCell] {
        RosterCell.decode(
            try await stage.store.run(stage.store.roster.readCells(0, [0, 1, 2], .update, record.activity.id)))
    }

    private static func outcomes(_ stage: StoreStage, _ record: ActivityRecord) async throws -> [PushOutcomeNote?] {
        let page = OutcomePage(try await stage.stored(.outcomes, record.activity.id, 0))
        return (0..<3).map { page.outcome($0) }
    }

    /// A reason why an end's page passes over a device that had a token when the end was recorded.
    enum Loss: CaseIterable {
        case dead, quarantined, shown, optedOut
    }

    @Test("An end whose page skips a device waits for the device's next report", arguments: Loss.allCases)
    func passedOver(_ loss: Loss) async throws {
        try await Self.run { stage, record, reference in
            let end = try #require(try await stage.begin(.end, record, .slots([0, 1])))
            switch loss {
            case .dead, .quarantined, .shown:
                let cell =
                    loss == .quarantined ? TokenPage.cellOfQuarantinedToken : TokenPage.cellOfDeadToken
                let command = stage.store.roster.clearUpdateCell(
                    record.activity, slot: 0, cell, status: nil, asOf: stage.now, token: [1])
                #expect(try await stage.store.run(command) == .cleared)
                if loss == .shown { try await Self.show(0, stage, reference) }
            case .optedOut: try await Self.setConsent(false, of: 0, stage)
            }
            for _ in 0..<2 {
                let page = try await stage.page(0, end)
                #expect(page.devices.map(\.index) == [1])
                #expect(page.skipped[loss == .optedOut ? .pushOptOut : .notSynced] == 1)
            }
            if loss == .optedOut { try await Self.setConsent(true, of: 0, stage) }
            #expect(try await stage.sync(0, reference, token: [11]).word == "late end")
            #expect(try await stage.sync(2, reference, token: [13]).word == "synced")
        }
    }

    /// A cause for the end of a Live Activity whose user has withdrawn the consent.
    enum Cause: CaseIterable {
        case dismissal, end, endWithoutToken, endOfActivity

        var status: UInt8 { DeliveryStatus.ended(self == .dismissal ? .userDismissed : .endedByAPI) }
    }

    @Test(
        "A report without consent of a Live Activity that must end gets no push, and is its last",
        arguments: Cause.allCases)
    func withoutConsent(_ cause: Cause) async throws {
        try await Self.run { stage, record, reference in
            if cause == .dismissal { try await Self.dismiss(0, stage, reference) }
            try await Self.setConsent(false, of: 0, stage)
            switch cause {
            case .dismissal: break
            case .end, .endWithoutToken:
                let end = try #require(try await stage.begin(.end, record, .slots([0, 1])))
                #expect(try await stage.page(0, end).devices.map(\.index) == [1])
            case .endOfActivity: _ = try #require(try await stage.begin(.end, record, .wholeSegment))
            }
            let token: [UInt8]? = cause == .endWithoutToken ? nil : [11]
            for _ in 0..<2 {
                let outcome = try await stage.store.reports.sync(
                    StoreStage.key(0), token: token, reference: reference, systemActivityID: "A",
                    tenantID: stage.tenant)
                #expect(outcome.word == "not found")
                let cell = try #require(try await Self.cells(stage, record).first)
                #expect(cell.status == cause.status && cell.content.isEmpty)
            }
            // The consent comes back before the app has ended the Live Activity, so its end can be sent.
            try await Self.setConsent(true, of: 0, stage)
            let words = [Cause.dismissal: "dismissed", .endOfActivity: "late end"]
            let last = try await stage.sync(0, reference, token: token ?? [1])
            #expect(last.word == words[cause] ?? "ended before")
        }
    }

    @Test("A late report of an earlier Live Activity, without consent, leaves the present one on the phone")
    func earlierWithoutConsent() async throws {
        try await Self.run { stage, record, reference in
            try await Self.dismiss(0, stage, reference)
            try await Self.restart(0, stage, record)
            #expect(try await stage.sync(0, reference, token: [11]).word == "synced")
            try await Self.setConsent(false, of: 0, stage)
            for token: UInt8 in [1, 11] {
                #expect(try await stage.sync(0, reference, token: [token]).word == "synced")
            }
            #expect(try await Self.cells(stage, record).first?.status == DeliveryStatus.startAccepted)
        }
    }

    @Test(
        "The note of an end that was never recorded ends nothing, with and without consent", arguments: [true, false])
    func unrecorded(hasConsent: Bool) async throws {
        try await Self.run { stage, record, reference in
            try await Self.setConsent(hasConsent, of: 0, stage)
            let note = RedisCommand(
                "HSET", Keys.pendingEnds(record.activity.id, 0), 0, UniqueID.random().description)
            _ = try await stage.store.value(note)
            #expect(try await stage.sync(0, reference, token: [11]).word == "synced")
            let cell = try #require(try await Self.cells(stage, record).first)
            #expect(cell.status == DeliveryStatus.startAccepted && cell.content.isEmpty == !hasConsent)
        }
    }

    @Test("An end whose page skips a device that reports meanwhile is sent once, as a late end")
    func reportedMeanwhile() async throws {
        try await Self.run { stage, record, reference in
            let end = try #require(try await stage.begin(.end, record, .slots([0])))
            let cell = RosterCell(status: DeliveryStatus.startAccepted, mark: TokenPage.deadTokenMark, content: [])
            let page = PageOfDevices(0, [0], [cell], kind: .end)
            #expect(try await stage.sync(0, reference, token: [11]).word == "synced")
            for _ in 0..<2 {
                let error = await withCheckedContinuation { continuation in
                    stage.reactor.execute {
                        stage.store.pages.holdEnd(for: page, of: end) {
                            continuation.resume(returning: $0)
                        }
                    }
                }
                #expect(error == nil)
            }
            #expect(try await Self.cells(stage, record).map(\.content.isEmpty) == [false, false, false])
            let parts = try await stage.jobs(end).map(\.part.description)
            #expect(parts.filter { $0.hasPrefix("s") } == ["s0"], "\(parts)")
        }
    }

    @Test(
        "An end whose page skips a restarted device does not wait for its Live Activity",
        arguments: [false, true])
    func startedAgain(isShown: Bool) async throws {
        try await Self.run { stage, record, reference in
            let end = try #require(try await stage.begin(.end, record, .slots([0, 1])))
            try await Self.dismiss(0, stage, reference)
            try await Self.restart(0, stage, record)
            if isShown { try await Self.show(0, stage, reference) }
            #expect(try await stage.page(0, end).devices.map(\.index) == [1])
            #expect(try await stage.sync(0, reference, token: [11]).word == "synced")
        }
    }

    @Test("An end whose page is read after a restart spares the new Live Activity, also by its former token")
    func readAfterRestart() async throws {
        try await Self.run { stage, record, reference in
            // An earlier restart does not protect the Live Activity.
            try await Self.dismiss(1, stage, reference)
            try await Self.restart(1, stage, record)
            #expect(try await stage.sync(1, reference, token: [12]).word == "synced")
            let end = try #require(try await stage.begin(.end, record, .slots([0, 1])))
            try await Self.dismiss(0, stage, reference)
            try await Self.restart(0, stage, record)
            #expect(try await stage.sync(0, reference, token: [11]).word == "synced")
            let page = try await stage.page(0, end)
            #expect(page.devices.map(\.index) == [1] && page.skipped[.ended] == 1)
            // The new Live Activity loses its token before the page is read again.
            let command = stage.store.roster.clearUpdateCell(
                record.activity, slot: 0, TokenPage.cellOfDeadToken, status: nil, asOf: stage.now, token: [11])
            #expect(try await stage.store.run(command) == .cleared)
            #expect(try await stage.page(0, end).devices.map(\.index) == [1])
            #expect(try await stage.sync(0, reference, token: [21]).word == "synced")
        }
    }

    @Test("A waiting end ends a device that healing has started again", arguments: [false, true])
    func healed(hasSynced: Bool) async throws {
        try await Self.run { stage, record, reference in
            let end = try #require(try await stage.begin(.end, record, .slots([0, 1])))
            let dead = stage.store.roster.clearUpdateCell(
                record.activity, slot: 0, TokenPage.cellOfDeadToken, status: nil, asOf: stage.now, token: [1])
            #expect(try await stage.store.run(dead) == .cleared)
            stage.advance(Healing.grace)
            let current = try #require(try await stage.store.activities.activity(record.activity.id))
            let lock = try #require(try await stage.store.restarts.lockRestarts(of: record.activity.id, for: .random()))
            let healing = try await stage.store.restarts.prepareRestart(Healing(limit: 1).wish, of: current, lock)
            #expect(healing?.slots == [0])
            await stage.store.restarts.unlock(lock)
            try await stage.putStatuses([DeliveryStatus.startAccepted], from: 0, record.activity.id)
            if hasSynced { #expect(try await stage.sync(0, reference, token: [11]).word == "synced") }
            #expect(try await stage.page(0, end).devices.map(\.index) == (hasSynced ? [0, 1] : [1]))
            if !hasSynced { #expect(try await stage.sync(0, reference, token: [11]).word == "late end") }
        }
    }

    @Test("An end with a refused token is pending once its page is written, also if the gateway is killed")
    func refused() async throws {
        try await Self.run { stage, record, reference in
            let end = try #require(try await stage.begin(.end, record, .slots([0, 1])))
            var outcome = PageOutcome(page: 0)
            (outcome.failed, outcome.failedFor, outcome.reasons) = ([0, 1], [0, 0], ["BadDeviceToken"])
            outcome.quarantinedTokens = [(0, [1]), (1, [2])]
            outcome.pushedAt = stage.now
            try await stage.finish(outcome, end)
            #expect(try await Self.cells(stage, record).map(\.content.isEmpty) == [false, false, false])
            #expect(try await stage.sync(0, reference, token: [1]).word == "late end")
            #expect(try await stage.sync(1, reference, token: [12]).word == "late end")
            #expect(try await stage.sync(2, reference, token: [13]).word == "synced")
        }
    }

    /// The result of the push to a Live Activity in whose place another one has been started since.
    enum Result: CaseIterable {
        case accepted, acceptedLate, dead, refused
    }

    @Test(
        "The outcome of one leaves the Live Activity alone that was started after its page was read",
        arguments: Result.allCases, [false, true])
    func outcome(_ result: Result, hasSynced: Bool) async throws {
        try await Self.run { stage, record, reference in
            let end = try #require(try await stage.begin(.end, record, .slots([0, 1])))
            var outcome = PageOutcome(page: 0)
            #expect(try await stage.page(0, end).devices.map(\.index) == [0, 1])
            stage.advance(.seconds(60))
            try await Self.dismiss(0, stage, reference)
            try await Self.restart(0, stage, record)
            if hasSynced { #expect(try await stage.sync(0, reference, token: [11]).word == "synced") }
            outcome.pushedAt = stage.now
            let former = try await Self.outcomes(stage, record)
            switch result {
            case .accepted, .acceptedLate: outcome.accepted = [0, 1]
            case .dead: outcome.deadTokens = [(0, [1], stage.now), (1, [2], stage.now)]
            case .refused: outcome.quarantinedTokens = [(0, [1]), (1, [2])]
            }
            if result == .acceptedLate {
                let part = outcome
                try await withCheckedThrowingContinuation { continuation in
                    stage.reactor.execute {
                        stage.store.pages.finishPart(part, of: end) { continuation.resume(with: $0) }
                    }
                }
            } else {
                try await stage.finish(outcome, end)
            }
            try await stage.quarantine(outcome, end)
            let cells = try await Self.cells(stage, record)
            #expect(cells.map(\.content.isEmpty) == [!hasSynced, true, false])
            let hasEnded = result == .accepted || result == .acceptedLate
            #expect(cells.map { DeliveryStatus.isLive($0.status) } == [true, !hasEnded, true])
            let present = try await Self.outcomes(stage, record)
            #expect(present[0] == former[0] && (present[1] == former[1]) == !hasEnded)
            let parts = try await stage.jobs(end).map(\.part.description)
            #expect(parts.filter { $0.hasPrefix("s") } == [], "\(parts)")
            #expect(try await stage.sync(0, reference, token: [12]).word == "synced")
        }
    }
}
