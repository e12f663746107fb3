import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Dismissals")
struct DismissalTests {
    private func dismiss(
        _ stage: StoreStage, _ user: Int, _ reference: ActivityReference, name: String? = nil
    ) async throws -> UniqueID? {
        try await stage.store.reports.dismiss(
            StoreStage.key(user), reference: reference, name: name, tenantID: stage.tenant
        ).dismissal?.activityID
    }

    /// A started activity of three devices, whose Live Activities are reported as `first-0` and so on.
    private func named(_ stage: StoreStage) async throws -> ActivityRecord {
        try await stage.addDevices(0..<3)
        let record = try await stage.started(0..<3)
        for user in 0..<3 {
            _ = try await stage.sync(
                user, .id(record.activity.id, type: nil), token: [1, UInt8(user)], system: "first-\(user)")
        }
        return record
    }

    private func restart(
        _ users: ClosedRange<Int>, _ stage: StoreStage, _ record: ActivityRecord
    ) async throws -> BroadcastOrder {
        stage.advance(.seconds(1))
        let broadcast = UniqueID.random()
        let lock = try #require(try await stage.store.restarts.lockRestarts(of: record.activity.id, for: broadcast))
        let wish = RestartWish(.targets(users.map { StoreStage.key($0) }), maximumStarts: 9)
        let preparation = try #require(try await stage.store.restarts.prepareRestart(wish, of: record, lock))
        var draft = BroadcastDraft(
            id: broadcast, kind: .start, scope: .slots(preparation.slots),
            payload: .update(content: Content(), options: PresentationOptions()), priority: 10, expiration: 7)
        draft.restartLock = lock
        return try await stage.store.broadcasts.begin(draft, for: record).get()
    }

    private func accept(_ indexes: [UInt16], _ stage: StoreStage, _ order: BroadcastOrder) async throws {
        var outcome = PageOutcome(page: 0)
        outcome.accepted = indexes
        try await stage.finish(outcome, order)
        stage.advance(.seconds(1))
    }

    /// The provider calls the devices' update tokens dead.
    private func kill(_ slots: Range<UInt32>, _ stage: StoreStage, _ record: ActivityRecord) async throws {
        _ = try await stage.store.values(
            slots.map {
                stage.store.roster.clearUpdateCell(
                    record.activity, slot: $0, TokenPage.cellOfDeadToken, status: nil, asOf: stage.now
                ).command
            })
    }

    private func states(_ stage: StoreStage, _ record: ActivityRecord) async throws -> [DeviceState] {
        try await stage.store.reader.devices(of: record, limit: 100).devices.map(\.state)
    }

    @Test("One that names an earlier Live Activity leaves the device's present Live Activity alone, reported or not")
    func earlier() async throws {
        try await StoreStage.run { stage in
            let record = try await named(stage)
            let id = record.activity.id
            stage.advance(.seconds(1))
            // A new Live Activity without a start that is known of.
            #expect(try await stage.sync(0, .id(id, type: nil), token: [2], system: "second-0").word == "synced")
            try await kill(1..<3, stage, record)
            let order = try await restart(1...2, stage, record)
            try await accept([1, 2], stage, order)
            #expect(try await stage.sync(2, .id(id, type: nil), token: [3]).word == "synced")
            for user in 0..<3 { #expect(try await dismiss(stage, user, .system("first-\(user)")) == id) }
            #expect(try await states(stage, record) == [.active, .pending, .active])
            for user in 0..<3 { #expect(try await dismiss(stage, user, .system("first-\(user)")) == nil) }
            #expect(try await stage.sync(1, .id(id, type: nil), token: [4], system: "second-1").word == "synced")
            #expect(try await states(stage, record) == [.active, .active, .active])
            // The present Live Activity is dismissed by its name.
            #expect(try await dismiss(stage, 1, .system("second-1")) == id)
            #expect(try await states(stage, record) == [.active, .ended, .active])
        }
    }

    @Test(
        "One that names the activity and an earlier Live Activity leaves the present one alone, however often it is said"
    )
    func bothNames() async throws {
        try await StoreStage.run { stage in
            let record = try await named(stage)
            let id = record.activity.id
            let byID = ActivityReference.id(id, type: nil)
            stage.advance(.seconds(1))
            #expect(try await stage.sync(0, byID, token: [2], system: "second-0").word == "synced")
            // One was started again and has named nothing yet; one has the Live Activity that it had.
            try await kill(1..<2, stage, record)
            let order = try await restart(1...1, stage, record)
            try await accept([1], stage, order)
            for _ in 0..<2 {
                for user in 0..<2 { #expect(try await dismiss(stage, user, byID, name: "first-\(user)") == id) }
                // A name that has gone with its Live Activity is that of no later one.
                #expect(try await dismiss(stage, 0, byID, name: "zeroth-0") == id)
            }
            #expect(try await states(stage, record) == [.active, .pending, .active])
            // A name of another activity, or of another device, is none of this one.
            let other = try await stage.started(0..<3)
            for user in 0..<2 {
                _ = try await stage.sync(
                    user, .id(other.activity.id, type: nil), token: [9, UInt8(user)], system: "other-\(user)")
            }
            #expect(try await dismiss(stage, 0, byID, name: "other-0") == nil)
            #expect(try await states(stage, record) == [.active, .pending, .active])
            // The present ones: by its name, by a name that nothing was reported of, and where no name ever was.
            #expect(try await dismiss(stage, 0, byID, name: "second-0") == id)
            #expect(try await dismiss(stage, 1, byID, name: "second-1") == id)
            #expect(
                try await dismiss(stage, 2, .id(other.activity.id, type: nil), name: "other-2") == other.activity.id)
            #expect(try await states(stage, record) == [.ended, .ended, .active])
            #expect(try await states(stage, other) == [.active, .active, .ended])
        }
    }

    @Test("After a restart whose start failed the Live Activity before it goes on, and so do its tokens")
    func failedRestart() async throws {
        for reference in [nil, ActivityReference.ofType(StoreStage.type)] {
            try await StoreStage.run { stage in
                let record = try await named(stage)
                let byID = ActivityReference.id(record.activity.id, type: nil)
                _ = try await stage.sync(0, byID, token: [2, 0], system: "first-0")
                try await kill(0..<1, stage, record)
                let order = try await restart(0...0, stage, record)
                var outcome = PageOutcome(page: 0)
                outcome.failed = [0]
                outcome.failedFor = [0]
                outcome.reasons = ["BadDeviceToken"]
                try await stage.finish(outcome, order)
                #expect(try await stage.sync(0, reference ?? byID, token: [2, 0]).word == "synced")
                let update = try #require(try await stage.begin(.update, record))
                #expect(try await stage.page(0, update).tokens[0] == [2, 0])
            }
        }
    }

    @Test(
        "The token of a Live Activity before a restart is none of the present one's, and a dismissal with it dismisses none"
    )
    func tokenBeforeRestart() async throws {
        try await StoreStage.run { stage in
            let record = try await named(stage)
            let byID = ActivityReference.id(record.activity.id, type: nil)
            func dismiss(_ token: [UInt8], _ name: String? = nil) async throws -> Dismissal? {
                try await stage.store.reports.dismiss(
                    StoreStage.key(0), reference: byID, name: name, token: token, tenantID: stage.tenant
                ).dismissal
            }
            func reportEarlier(_ expected: DeviceState) async throws {
                // Until the newer Live Activity has reported a token, an earlier one with a new token takes the place.
                let isReplaced = expected == .active
                var reports: [([UInt8], String?)] = [([1, 0], nil), ([0, 0], nil), ([1, 0], "first-0")]
                if isReplaced { reports.append(([9, 0], "first-0")) }
                for (token, name) in reports {
                    let word = try await stage.sync(0, byID, token: token, system: name).word
                    #expect(word == (isReplaced && name != nil ? "not found" : "synced"))
                    #expect(try await states(stage, record) == [expected, .active, .active])
                }
                // The name leads to the activity also where the report names no activity.
                for reference in [ActivityReference.ofType(StoreStage.type), .system("first-0")] where isReplaced {
                    for token: UInt8 in [1, 9] {
                        let word = try await stage.sync(0, reference, token: [token, 0], system: "first-0").word
                        #expect(word == "not found")
                    }
                    #expect(try await states(stage, record) == [expected, .active, .active])
                }
                for token in [[1, 0], [0, 0]] as [[UInt8]] {
                    #expect(
                        try await dismiss(token) == Dismissal(activityID: record.activity.id, isOfRunning: false))
                }
                #expect(try await states(stage, record) == [expected, .active, .active])
            }
            for token in [[0, 0], [1, 0]] as [[UInt8]] {
                _ = try await stage.sync(0, byID, token: token, system: "first-0")
            }
            #expect(try await self.dismiss(stage, 0, byID) == record.activity.id)
            let order = try await restart(0...0, stage, record)
            // Before the start, before the new token, and behind it.
            #expect(try await stage.sync(0, byID, token: [1, 0]).word == "synced")
            #expect(try await stage.page(0, order).devices.map(\.index) == [0])
            try await accept([0], stage, order)
            try await reportEarlier(.pending)
            for token in [[2, 0], [3, 0]] as [[UInt8]] {
                #expect(try await stage.sync(0, byID, token: token, system: "second-0").word == "synced")
            }
            try await reportEarlier(.active)
            let update = try #require(try await stage.begin(.update, record))
            #expect(try await stage.page(0, update).tokens[0] == [3, 0])
            // An earlier token of the present one dismisses it, and so does its name with any token.
            #expect(try await dismiss([2, 0])?.isOfRunning == true)
            #expect(try await states(stage, record) == [.ended, .active, .active])
        }
    }

    @Test("An earlier Live Activity keeps its place until a newer one reports, and is then not found")
    func replaced() async throws {
        try await StoreStage.run { stage in
            let record = try await named(stage)
            let byID = ActivityReference.id(record.activity.id, type: nil)
            func sync(_ token: UInt8, _ name: String) async throws -> String {
                stage.advance(.seconds(1))
                return try await stage.sync(0, byID, token: [token, 0], system: "\(name)-0").word
            }
            func present() async throws -> [UInt8]? {
                let update = try #require(try await stage.begin(.update, record))
                return try await stage.page(0, update).tokens[0]
            }
            try await kill(0..<1, stage, record)
            try await accept([0], stage, try await restart(0...0, stage, record))
            // The restarted Live Activity may never appear, and this one is there.
            #expect(try await sync(4, "first") == "synced")
            #expect(try await present() == [4, 0])
            #expect(try await sync(5, "second") == "synced")
            for token: UInt8 in [1, 4, 6] { #expect(try await sync(token, "first") == "not found") }
            #expect(try await sync(7, "second") == "synced")
            #expect(try await present() == [7, 0])
            // After the end of the device's Live Activity, its other ones are not found, with any token.
            let end = try #require(try await stage.begin(.end, record, .slots([0])))
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0]
            try await stage.finish(outcome, end)
            for token: UInt8 in [1, 4, 8] { #expect(try await sync(token, "first") == "not found") }
            #expect(try await sync(7, "second") == "synced")
        }
    }

    @Test("A known name counts more than the token of a dismissal, and a token of another activity dismisses none")
    func nameBeforeToken() async throws {
        try await StoreStage.run { stage in
            let record = try await named(stage)
            let other = try await stage.started(0..<3)
            func dismiss(_ activity: UniqueID, _ token: [UInt8], _ name: String?) async throws -> Dismissal? {
                try await stage.store.reports.dismiss(
                    StoreStage.key(0), reference: .id(activity, type: nil), name: name, token: token,
                    tenantID: stage.tenant
                ).dismissal
            }
            let nothing = Dismissal(activityID: record.activity.id, isOfRunning: false)
            #expect(try await dismiss(other.activity.id, [1, 0], nil) == nothing)
            #expect(try await dismiss(other.activity.id, [1, 0], "unknown") == nothing)
            #expect(try await states(stage, other) == [.pending, .pending, .pending])
            try await kill(0..<1, stage, record)
            try await accept([0], stage, try await restart(0...0, stage, record))
            _ = try await stage.sync(0, .id(record.activity.id, type: nil), token: [2, 0], system: "second-0")
            #expect(try await dismiss(record.activity.id, [2, 0], "first-0") == nothing)
            #expect(try await states(stage, record) == [.active, .active, .active])
            #expect(try await dismiss(record.activity.id, [1, 0], "second-0")?.isOfRunning == true)
            #expect(try await states(stage, record) == [.ended, .active, .active])
        }
    }

    @Test("A device that is waiting for its start is left out of it, whichever Live Activity it has dismissed")
    func waiting() async throws {
        try await StoreStage.run { stage in
            let record = try await named(stage)
            let id = record.activity.id
            try await kill(0..<3, stage, record)
            let order = try await restart(0...2, stage, record)
            #expect(try await dismiss(stage, 0, .system("first-0")) == id)
            #expect(try await dismiss(stage, 1, .id(id, type: nil)) == id)
            let page = try await stage.page(0, order)
            #expect(page.devices.map(\.index) == [2])
            #expect(page.skipped[.ended] == 2)
        }
    }

    @Test("Another Live Activity than the one dismissed is tracked again and to be ended; the same one is gone")
    func another() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let id = record.activity.id
            _ = try await stage.sync(0, .id(id, type: nil), token: [1, 2, 3])
            for user in 0..<2 { #expect(try await dismiss(stage, user, .id(id, type: nil)) == id) }
            #expect(try await stage.sync(0, .id(id, type: nil), token: [1, 2, 3]).word == "synced")
            #expect(try await states(stage, record) == [.ended, .ended])
            #expect(try await stage.sync(0, .id(id, type: nil), token: [4, 5]).word == "dismissed")
            #expect(try await stage.sync(1, .id(id, type: nil), token: [6]).word == "dismissed")
            #expect(try await states(stage, record) == [.active, .active])
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 2)
            let update = try #require(try await stage.begin(.update, record))
            #expect(try await stage.page(0, update).tokens == [0: [4, 5], 1: [6]])
            // Once the activity has ended it is that end which is late.
            _ = try await dismiss(stage, 1, .id(id, type: nil))
            _ = try #require(try await stage.begin(.end, record))
            #expect(try await stage.sync(1, .id(id, type: nil), token: [7]).word == "late end")
        }
    }

    @Test("Names of Live Activities and notes of starts are read as they were written")
    func records() {
        let liveActivity = LiveActivityName(
            activity: .random(), udid: "phone", namedAt: WallTime(milliseconds: 1_700_000_000_123))
        #expect(LiveActivityName(liveActivity.bytes) == liveActivity)
        #expect(LiveActivityName([1, 2]) == nil)
        let note = StartNote(number: 3, preparedAt: liveActivity.namedAt, order: 7)
        #expect(StartNote(note.text) == note)
        #expect(StartNote("") == nil && StartNote(nil) == nil)
    }
}
