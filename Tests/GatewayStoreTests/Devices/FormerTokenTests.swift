import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Former update tokens")
struct FormerTokenTests {
    /// The ways in which a slot loses its token.
    enum Loss: CaseIterable {
        case replaced, replacedOften, dismissed, endedAlone, endedWithAll, dead, deadThenShown, quarantined, refused,
            moved
    }

    private static let first = StoreStage.token(1001)

    private func lose(_ loss: Loss, _ stage: StoreStage, _ record: ActivityRecord) async throws {
        let (activity, byID) = (record.activity, ActivityReference.id(record.activity.id, type: nil))
        func clear(_ cell: [UInt8]) async throws {
            let command = stage.store.roster.clearUpdateCell(
                activity, slot: 0, cell, status: nil, asOf: stage.now, token: Self.first)
            #expect(try await stage.store.run(command) == .cleared)
        }
        func end(_ scope: BroadcastScope, _ accepted: [UInt16]) async throws {
            let order = try #require(try await stage.begin(.end, record, scope))
            var outcome = PageOutcome(page: 0)
            outcome.accepted = accepted
            try await stage.finish(outcome, order)
        }
        switch loss {
        case .replaced: _ = try await stage.sync(0, byID, token: StoreStage.token(1002))
        case .replacedOften:
            for number in 1002..<1002 + ScriptLimits.formerTokens {
                _ = try await stage.sync(0, byID, token: StoreStage.token(number))
            }
        case .dismissed:
            let outcome = try await stage.store.reports.dismiss(
                StoreStage.key(0), reference: byID, tenantID: stage.tenant)
            #expect(outcome.dismissal != nil)
        case .endedAlone: try await end(.slots([0]), [0])
        case .endedWithAll: try await end(.wholeSegment, record.slots.ranges.flatMap { $0.map { UInt16($0) } })
        case .dead: try await clear(TokenPage.cellOfDeadToken)
        case .deadThenShown:
            try await clear(TokenPage.cellOfDeadToken)
            _ = try await stage.store.reports.sync(
                StoreStage.key(0), token: nil, reference: byID, systemActivityID: nil, tenantID: stage.tenant)
        case .quarantined: try await clear(TokenPage.cellOfQuarantinedToken)
        case .moved:
            try await stage.moveToSandbox(0..<1)
            #expect(try await stage.sync(0, byID, token: StoreStage.token(1002)).word == "synced")
        case .refused:
            for optIn in [false, true] {
                try await stage.store.devices.putDevice(
                    StoreStage.device(optIn: optIn), StoreStage.key(0), tenantID: stage.tenant)
            }
        }
    }

    private func tokens(_ stage: StoreStage, _ record: ActivityRecord) async throws -> [[UInt8]] {
        let (roster, id) = (stage.store.roster, record.activity.id)
        let lookup = roster.slotLookup(StoreStage.key(0), in: id, tenantID: stage.tenant)
        let slot = try #require(StoredRoster.slot(try await stage.store.value(lookup)))
        let page = RosterGeometry.page(ofSlot: slot)
        let cells = try await stage.store.run(
            roster.readCells(page, [RosterGeometry.index(ofSlot: slot)], .update, id))
        return RosterCell.decode(cells).compactMap { cell in
            UpdateToken.token(in: cell.content.indices).map { Array(cell.content[$0]) }
        }
    }

    @Test(
        "A report with a token that another activity has lost never reaches the running activity, by type or by name",
        arguments: Loss.allCases, [1, 3])
    func former(loss: Loss, devices: Int) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<devices)
            let ended = try await stage.started(0..<devices)
            #expect(try await stage.sync(0, .id(ended.activity.id, type: nil), token: Self.first).word == "synced")
            for user in 1..<devices { _ = try await stage.sync(user, .id(ended.activity.id, type: nil)) }
            try await lose(loss, stage, ended)
            stage.advance(.seconds(10))
            let running = try await stage.started(0..<devices)
            let own = StoreStage.token(2001)
            // Before the running activity has a token, and afterwards.
            for isSynced in [false, true] {
                if isSynced {
                    let byID = ActivityReference.id(running.activity.id, type: nil)
                    #expect(try await stage.sync(0, byID, token: own).word == "synced")
                }
                for reference in [ActivityReference.ofType(StoreStage.type), .id(running.activity.id, type: nil)] {
                    try await expect(try await stage.sync(0, reference, token: Self.first), ended)
                    #expect(try await tokens(stage, running) == (isSynced ? [own] : []))
                }
            }
            if loss == .replaced { #expect(try await tokens(stage, ended) == [StoreStage.token(1002)]) }
        }
    }

    private func expect(_ outcome: SyncOutcome, _ record: ActivityRecord) async throws {
        switch outcome {
        case .synced(let found, _, _): #expect(found.activity.id == record.activity.id)
        default: Issue.record("\(outcome.word)")
        }
    }

    @Test("A name that is known of another activity's Live Activity takes the report there, also with a new token")
    func name() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let first = try await stage.started(0..<1)
            let other = try await stage.started(0..<1)
            let byOther = ActivityReference.id(other.activity.id, type: nil)
            // The name comes with a later report of the token.
            for name in [nil, "one"] {
                _ = try await stage.sync(0, .id(first.activity.id, type: nil), token: Self.first, system: name)
            }
            let own = StoreStage.token(2001)
            for isSynced in [false, true] {
                if isSynced { _ = try await stage.sync(0, byOther, token: own, system: "two") }
                for token in [Self.first, StoreStage.token(1002)] {
                    try await expect(try await stage.sync(0, byOther, token: token, system: "one"), first)
                    #expect(try await tokens(stage, first) == [token])
                    #expect(try await tokens(stage, other) == (isSynced ? [own] : []))
                }
            }
            // A new name is that of another Live Activity.
            _ = try await stage.sync(0, byOther, token: StoreStage.token(2002), system: "three")
            #expect(try await tokens(stage, other) == [StoreStage.token(2002)])
        }
    }

    @Test("A token or name of another activity's Live Activity opens no place under an external id")
    func external() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let first = try await stage.started(0..<1)
            _ = try await stage.sync(0, .id(first.activity.id, type: nil), token: Self.first, system: "one")
            let external = ActivityReference.external("own", type: StoreStage.type)
            try await expect(try await stage.sync(0, external, token: Self.first), first)
            try await expect(try await stage.sync(0, external, token: StoreStage.token(1002), system: "one"), first)
            #expect(try await tokens(stage, first) == [StoreStage.token(1002)])
            // A token that was replaced displaces none.
            try await expect(try await stage.sync(0, external, token: Self.first), first)
            #expect(try await tokens(stage, first) == [StoreStage.token(1002)])
            guard case .synced(let own, _, _) = try await stage.sync(0, external, token: StoreStage.token(2001)) else {
                Issue.record("not synced")
                return
            }
            #expect(own.activity.externalID == "own")
            #expect(try await tokens(stage, own) == [StoreStage.token(2001)])
        }
    }

    @Test("The last reported token of a Live Activity counts, even if it is an earlier one")
    func order() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            _ = try await stage.started(0..<1)
            let byID = ActivityReference.id(record.activity.id, type: nil)
            let second = StoreStage.token(1002)
            for token in [second, Self.first, second, Self.first] {
                #expect(try await stage.sync(0, byID, token: token).word == "synced")
                #expect(try await tokens(stage, record) == [token])
            }
            // Its place in another environment takes over its tokens.
            try await stage.moveToSandbox(0..<1)
            for token in [Self.first, second] {
                #expect(try await stage.sync(0, byID, token: token).word == "synced")
                #expect(try await tokens(stage, record) == [token])
            }
        }
    }

    @Test("The last named of two Live Activities keeps its place if no start came between them")
    func twoNames() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let byID = ActivityReference.id(record.activity.id, type: nil)
            // Rotated, repeated and late reports: none is answered with an error, because it may be the only one.
            for (name, token, present) in [
                ("first", 1001, 1001), ("second", 1002, 1002), ("first", 1003, 1002), ("first", 1001, 1002),
                ("second", 1004, 1004), ("second", 1002, 1002), ("first", 1005, 1002),
            ] {
                stage.advance(.seconds(1))
                #expect(try await stage.sync(0, byID, token: StoreStage.token(token), system: name).word == "synced")
                #expect(try await tokens(stage, record) == [StoreStage.token(present)], "\(name) \(token)")
            }
        }
    }

    @Test("A dismissed Live Activity is known by each of its tokens, also by one that was dead before")
    func dismissed() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let byID = ActivityReference.id(record.activity.id, type: nil)
            _ = try await stage.sync(0, byID, token: Self.first)
            let second = StoreStage.token(1002)
            _ = try await stage.sync(0, byID, token: second)
            let clear = stage.store.roster.clearUpdateCell(
                record.activity, slot: 0, TokenPage.cellOfDeadToken, status: nil, asOf: stage.now, token: second)
            _ = try await stage.store.run(clear)
            _ = try await stage.store.reports.dismiss(StoreStage.key(0), reference: byID, tenantID: stage.tenant)
            for token in [Self.first, second] {
                #expect(try await stage.sync(0, byID, token: token).word == "synced")
                #expect(try await tokens(stage, record).isEmpty)
            }
            // Another token is that of another Live Activity, which is to be ended.
            let third = StoreStage.token(1003)
            #expect(try await stage.sync(0, byID, token: third).word == "dismissed")
            for token in [Self.first, second] {
                #expect(try await stage.sync(0, byID, token: token).word == "synced")
                #expect(try await tokens(stage, record) == [third])
            }
        }
    }

    @Test("A device that reports one token keeps no memory of former ones, and a phone that is forgotten leaves none")
    func cost() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let byID = ActivityReference.id(record.activity.id, type: nil)
            let counters = Keys.counters(record.activity.id, 0)
            func former() async throws -> Int? {
                try await stage.store.value(RedisCommand("HSTRLEN", counters, "former:0")).int.map { Int($0) }
            }
            for _ in 0..<2 { _ = try await stage.sync(0, byID, token: Self.first) }
            #expect(try await former() == 0)
            for number in 0..<20 { _ = try await stage.sync(0, byID, token: StoreStage.token(3000 + number)) }
            #expect(try await former() == 8 * ScriptLimits.formerTokens)
            try await stage.store.roster.vacate([0], in: record.activity)
            #expect(try await former() == 0)
        }
    }
}
