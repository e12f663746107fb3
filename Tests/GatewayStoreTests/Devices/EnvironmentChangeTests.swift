import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("A device that changes its environment")
struct EnvironmentChangeTests {
    private static let sandbox = RosterGeometry.firstSlot(of: .apnsSandbox)

    private func report(
        _ stage: StoreStage, _ environment: Device.Environment, user: Int = 0, version: String = "18.0"
    ) async throws {
        stage.advance(.seconds(1))
        var device = StoreStage.device(version)
        device.environment = environment
        try await stage.store.devices.putDevice(device, StoreStage.key(user), tenantID: stage.tenant)
    }

    private func user(_ stage: StoreStage, _ number: Int = 0) async throws -> UserRecord {
        let id = StoreStage.key(number).insiderID
        return try #require(try await stage.store.devices.user(id, tenantID: stage.tenant))
    }

    private func status(_ stage: StoreStage, _ id: UniqueID, _ slot: UInt32) async throws -> UInt8? {
        let page = try await stage.stored(.statuses, id, RosterGeometry.page(ofSlot: slot))
        let index = RosterGeometry.index(ofSlot: slot)
        return index < page.count ? page[index] : nil
    }

    private func slot(_ stage: StoreStage, _ id: UniqueID, _ number: Int = 0) async throws -> UInt32? {
        let user = try await user(stage, number)
        return user.membership(in: id)?.slots.first?.slot
    }

    /// The tokens that an update would be sent to, by slot.
    private func updateTokens(_ stage: StoreStage, _ record: ActivityRecord) async throws -> [UInt32: [UInt8]] {
        let order = try #require(try await stage.begin(.update, try await stage.read(record.activity.id)))
        var tokens: [UInt32: [UInt8]] = [:]
        for page in order.pages {
            for (index, token) in try await stage.page(page, order).tokens {
                tokens[RosterGeometry.slot(page: page, index: index)] = token
            }
        }
        for job in try await stage.jobs(order) {
            _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
        }
        return tokens
    }

    private func expectOneDevice(
        _ stage: StoreStage, _ record: ActivityRecord, at slot: UInt32, token: [UInt8],
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let id = record.activity.id
        #expect(try await self.slot(stage, id) == slot, sourceLocation: location)
        #expect(try await updateTokens(stage, record) == [slot: token], sourceLocation: location)
        let read = try await stage.read(id)
        #expect(read.devices == 1 && read.users == 1, sourceLocation: location)
        let counts = try await stage.store.reader.summedStates(in: read)
        #expect(counts[.active] == 1 && counts.total == 1, sourceLocation: location)
        #expect(try await stage.store.roster.reach(.update, in: read).holders == 1, sourceLocation: location)
        let listed = try await stage.store.reader.devices(of: read, limit: 9).devices
        #expect(listed.map(\.key) == [StoreStage.key(0)], sourceLocation: location)
    }

    @Test("Its record says so from then on, whatever it reports next; that of a device which never did says nothing")
    func record() async throws {
        try await StoreStage.run { stage in
            func changedKind() async throws -> RouteKind? { try await user(stage).devices.first?.changedKind }
            try await report(stage, .sandbox)
            #expect(try await changedKind() == nil)
            try await report(stage, .sandbox, version: "18.1")
            #expect(try await changedKind() == nil)
            let before = try await user(stage).version
            try await report(stage, .production, version: "18.1")
            #expect(try await changedKind() == .apns)
            let after = try await user(stage)
            #expect(after.version != before && after.devices.first?.device.environment == .production)
            // A repeated report is no change.
            try await report(stage, .production, version: "18.1")
            #expect(try await user(stage).version == after.version)
            try await report(stage, .production, version: "18.2")
            #expect(try await changedKind() == .apns)
            #expect(try await user(stage).devices.first?.device.osVersion == OSVersion("18.2"))
            try await report(stage, .sandbox)
            #expect(try await changedKind() == .apnsSandbox)
        }
    }

    @Test("Before the start it has no token for its slot; it has one again when it changes back")
    func beforeStart() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.register(0..<2)
            let id = record.activity.id
            #expect(try await stage.startTokens(id).count == 2)
            try await report(stage, .sandbox)
            #expect(try await stage.startTokens(id) == [1: StoreStage.token(1)])
            #expect(try await stage.store.roster.reach(.pushToStart, in: record).holders == 1)
            try await stage.store.devices.putPushToStartToken(
                StoreStage.token(77), StoreStage.key(0), tenantID: stage.tenant, type: nil)
            #expect(try await stage.startTokens(id) == [1: StoreStage.token(1)])
            let target = try await stage.store.roster.targets([StoreStage.key(0)], .pushToStart, in: record.activity)
                .found
            #expect(target == [StoredRoster.Target(slot: 0, skip: .noPushToStartToken)])
            try await report(stage, .production)
            #expect(try await stage.startTokens(id) == [0: StoreStage.token(77), 1: StoreStage.token(1)])
            // A device that is registered now is in its own band.
            try await report(stage, .sandbox)
            #expect(try await stage.register(0..<1).slots.ranges == [Self.sandbox..<(Self.sandbox + 1)])
        }
    }

    @Test("After the start it moves to the band of its kind with its next sync, there and back")
    func afterStart() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let id = record.activity.id
            #expect(try await stage.sync(0, .id(id, type: nil), token: [1]).word == "synced")
            try await report(stage, .sandbox)
            try await expectOneDevice(stage, record, at: 0, token: [1])
            for _ in 0..<2 {
                guard case .synced(_, Self.sandbox, nil) = try await stage.sync(0, .id(id, type: nil), token: [2])
                else { throw Unexpected() }
                try await expectOneDevice(stage, record, at: Self.sandbox, token: [2])
            }
            #expect(try await status(stage, id, 0) == DeliveryStatus.removed)
            #expect(try await status(stage, id, Self.sandbox) == DeliveryStatus.startAccepted)
            try await report(stage, .production)
            guard case .synced(_, 1, nil) = try await stage.sync(0, .ofType(StoreStage.type), token: [3]) else {
                throw Unexpected()
            }
            try await expectOneDevice(stage, record, at: 1, token: [3])
            #expect(try await stage.read(id).slots.ranges == [0..<2, Self.sandbox..<(Self.sandbox + 1)])
        }
    }

    private struct Unexpected: Error {}

    /// A started activity of one device, which has reported a token in production.
    private func synced(_ stage: StoreStage) async throws -> ActivityRecord {
        try await stage.addDevices(0..<1)
        let record = try await stage.started(0..<1)
        _ = try await stage.sync(0, .id(record.activity.id, type: nil), token: [1])
        return record
    }

    @Test("Of many reports at once it moves once")
    func together() async throws {
        try await StoreStage.run { stage in
            let record = try await synced(stage)
            let id = record.activity.id
            try await report(stage, .sandbox)
            let slots = try await withThrowingTaskGroup(of: UInt32.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        guard case .synced(_, let slot, nil) = try await stage.sync(0, .id(id, type: nil), token: [2])
                        else { throw Unexpected() }
                        return slot
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(slots.count == 1)
            try await expectOneDevice(stage, record, at: try #require(slots.first), token: [2])
        }
    }

    /// Leaves the store like a gateway that is cut off while it moves the only device to the sandbox.
    /// - Returns: the slot that the gateway had taken.
    private func cutOff(
        _ stage: StoreStage, _ record: ActivityRecord, after step: Int, endedBy end: UniqueID
    ) async throws -> UInt32 {
        let id = record.activity.id
        try await stage.store.roster.remember([0], endedBy: end, in: record.activity)
        let taken = try #require(try await stage.store.roster.takeSlot(.apnsSandbox, in: id))
        try await stage.store.roster.remember([taken], endedBy: end, in: record.activity)
        if step > 0 {
            try await stage.putStatuses([DeliveryStatus.removed], from: 0, id)
            let cleared = stage.store.roster.clearUpdateCell(
                record.activity, slot: 0, TokenPage.cell(reason: .notInSegment), status: DeliveryStatus.removed,
                asOf: nil)
            _ = try await stage.store.run(cleared)
        }
        if step > 1 {
            let key = Keys.user(stage.tenant, StoreStage.key(0).insiderID)
            var membership = try #require(try await user(stage).membership(in: id))
            membership.add(device: try #require(membership.slots.first?.device), slot: taken)
            _ = try await stage.store.value(
                RedisCommand("HSET", key, UserRecord.membershipField(id), membership.bytes))
        }
        return taken
    }

    /// An end of some devices, as far as a sync reads it.
    private func recordedEnd(_ stage: StoreStage, of activity: UniqueID) async throws -> UniqueID {
        let end = UniqueID.random()
        _ = try await stage.store.value(RedisCommand("HSET", Keys.broadcast(activity, end), "kind", "end"))
        return end
    }

    @Test(
        "Cut off anywhere on its way, it gets there with the next report, and the end that waits for it with it",
        arguments: 0..<3, [true, false])
    func cutOff(after step: Int, isNamed: Bool) async throws {
        try await StoreStage.run { stage in
            let record = try await synced(stage)
            let id = record.activity.id
            try await report(stage, .sandbox)
            let end = try await recordedEnd(stage, of: id)
            let taken = try await cutOff(stage, record, after: step, endedBy: end)
            let reference = isNamed ? ActivityReference.id(id, type: nil) : .ofType(StoreStage.type)
            guard case .synced(_, let slot, .some(end)) = try await stage.sync(0, reference, token: [2]) else {
                throw Unexpected()
            }
            #expect(slot == (step > 1 ? taken : taken + 1))
            try await expectOneDevice(stage, record, at: slot, token: [2])
        }
    }

    @Test("Cut off, and back in its former environment, it has a place as well", arguments: 0..<3, [true, false])
    func cutOffAndBack(after step: Int, isNamed: Bool) async throws {
        try await StoreStage.run { stage in
            let record = try await synced(stage)
            let id = record.activity.id
            try await report(stage, .sandbox)
            let end = try await recordedEnd(stage, of: id)
            _ = try await cutOff(stage, record, after: step, endedBy: end)
            try await report(stage, .production)
            let reference = isNamed ? ActivityReference.id(id, type: nil) : .ofType(StoreStage.type)
            for token in [[2], [3]] as [[UInt8]] {
                guard case .synced(_, let slot, .some(end)) = try await stage.sync(0, reference, token: token) else {
                    throw Unexpected()
                }
                #expect(slot == (step > 0 ? 1 : 0))
                try await expectOneDevice(stage, record, at: slot, token: token)
            }
        }
    }

    /// Records an update that arrived before the newest one.
    private func beginLate(_ stage: StoreStage, _ record: ActivityRecord) async throws {
        let content = Content(contentState: Array(#"{"n":0}"#.utf8)[...])
        var draft = BroadcastDraft(
            id: record.activity.id.randomBroadcast(), kind: .update, scope: .slots([0]),
            payload: .update(content: content, options: PresentationOptions()), priority: 10, expiration: 77)
        draft.arrived = WallTime(milliseconds: stage.now.milliseconds - 1000)
        _ = try await stage.store.broadcasts.begin(draft, for: stage.read(record.activity.id)).get()
    }

    @Test("An update that has not come to it follows it, whether it is to all or to a list")
    func updateUnderWay() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            for (round, scope) in [(UInt8(0), BroadcastScope.wholeSegment), (1, .slots([0, 2]))] {
                let record = try await stage.started(0..<3)
                let id = record.activity.id
                for number in 0..<3 {
                    _ = try await stage.sync(number, .id(id, type: nil), token: [round, UInt8(number)])
                }
                let older = try #require(try await stage.begin(.update, record, .slots([1])))
                let order = try #require(try await stage.begin(.update, record, scope))
                #expect(older.order < order.order)
                try await beginLate(stage, record)
                try await report(stage, .sandbox)
                guard
                    case .behind(_, Self.sandbox, let update) = try await stage.sync(
                        0, .id(id, type: nil), token: [round, 9])
                else { throw Unexpected() }
                #expect(update.id == order.id)
                try await stage.store.reports.addCatchUp(update, in: record.activity, slot: Self.sandbox)
                let jobs = try await stage.jobs(order)
                let single = try #require(jobs.first { $0.part == .slot(Self.sandbox) })
                guard case .single(let part) = try await stage.store.jobs.startJob(single) else { throw Unexpected() }
                #expect(part.scope == .slots([Self.sandbox]) && part.payload == order.payload)
                // The update may have ended meanwhile.
                for job in jobs where job != single {
                    _ = try await stage.store.jobs.complete(
                        job, job.broadcastID == order.id ? order : older, as: stage.gateway)
                }
                #expect(try await stage.store.broadcasts.hasEnded(order.id, in: id))
                guard case .single(let late) = try await stage.store.jobs.startJob(single) else { throw Unexpected() }
                #expect(late.payload == order.payload)
                try await report(stage, .production)
            }
        }
    }

    @Test("An update that was recorded while it moved, or of which a report knew that was cut off, follows it as well")
    func updateMeanwhile() async throws {
        try await StoreStage.run { stage in
            let record = try await synced(stage)
            let id = record.activity.id
            try await report(stage, .sandbox)
            guard case .synced(_, Self.sandbox, nil) = try await stage.sync(0, .id(id, type: nil), token: [2]) else {
                throw Unexpected()
            }
            // The first report may have been cut off behind its write of the token.
            let order = try #require(try await stage.begin(.update, record))
            guard
                case .behind(_, Self.sandbox, let update) = try await stage.sync(0, .id(id, type: nil), token: [2])
            else { throw Unexpected() }
            #expect(update.id == order.id)
            // Once it is recorded that it is sent, a report is a report like any other, however often it comes.
            try await stage.store.reports.addCatchUp(update, in: record.activity, slot: Self.sandbox)
            for token in [[2], [3], [3]] as [[UInt8]] {
                guard case .synced = try await stage.sync(0, .id(id, type: nil), token: token) else {
                    throw Unexpected()
                }
            }
        }
    }

    @Test("An update that waits for its time follows it, because it is for the slots of before")
    func updateThatWaits() async throws {
        try await StoreStage.run { stage in
            let record = try await synced(stage)
            let id = record.activity.id
            let order = try #require(try await stage.begin(.update, record))
            let later = (stage.now + .seconds(5)).milliseconds
            _ = try await stage.store.value(RedisCommand("HSET", Keys.broadcast(id, order.id), "not_before", later))
            try await report(stage, .sandbox)
            guard
                case .behind(_, Self.sandbox, let update) = try await stage.sync(0, .id(id, type: nil), token: [2])
            else { throw Unexpected() }
            #expect(update.id == order.id)
            try await stage.store.reports.addCatchUp(update, in: record.activity, slot: Self.sandbox)
            // The next one is for the new slot, and reaches it with all others.
            let next = try #require(try await stage.begin(.update, record))
            _ = try await stage.store.value(RedisCommand("HSET", Keys.broadcast(id, next.id), "not_before", later))
            guard case .synced(_, Self.sandbox, nil) = try await stage.sync(0, .id(id, type: nil), token: [3]) else {
                throw Unexpected()
            }
        }
    }

    @Test("One that has dismissed its Live Activity moves as well, and the other one is ended in the new place")
    func dismissed() async throws {
        try await StoreStage.run { stage in
            let record = try await synced(stage)
            let id = record.activity.id
            let dismissed = try await stage.store.reports.dismiss(
                StoreStage.key(0), reference: .id(id, type: nil), tenantID: stage.tenant)
            #expect(dismissed.dismissal?.activityID == id)
            try await report(stage, .sandbox)
            let again = try await stage.sync(0, .id(id, type: nil), token: [2])
            guard case .endedBefore(_, Self.sandbox, .userDismissed) = again else {
                throw Unexpected()
            }
        }
    }

    @Test("A report of the time before the device's last change moves it nowhere")
    func olderReport() async throws {
        try await StoreStage.run { stage in
            let record = try await synced(stage)
            try await report(stage, .sandbox)
            try await report(stage, .production)
            await #expect(throws: StoreError.self) {
                try await stage.store.reports.moves.move(StoreStage.key(0), to: .apnsSandbox, in: record.activity)
            }
            try await expectOneDevice(stage, record, at: 0, token: [1])
        }
    }

    @Test("An end to a target list that has not come to it follows it")
    func endUnderWay() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let id = record.activity.id
            for number in 0..<3 { _ = try await stage.sync(number, .id(id, type: nil), token: [UInt8(number)]) }
            let other = try #require(try await stage.begin(.end, record, .slots([1])))
            let order = try #require(try await stage.begin(.end, record, .slots([0, 2])))
            #expect(other.id != order.id)
            try await report(stage, .sandbox)
            guard
                case .synced(_, Self.sandbox, .some(order.id)) = try await stage.sync(0, .id(id, type: nil), token: [9])
            else { throw Unexpected() }
        }
    }

    @Test("A Live Activity that is to be ended is ended in its new place, and one that has ended keeps the old one")
    func ends() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let id = record.activity.id
            let end = try await recordedEnd(stage, of: id)
            try await stage.store.roster.remember([0], endedBy: end, in: record.activity)
            try await report(stage, .sandbox)
            guard case .synced(_, Self.sandbox, .some(end)) = try await stage.sync(0, .id(id, type: nil), token: [2])
            else {
                throw Unexpected()
            }
            _ = try await stage.sync(1, .id(id, type: nil), token: [3])
            _ = try await stage.store.run(
                stage.store.roster.clearUpdateCell(
                    record.activity, slot: 1, TokenPage.cell(reason: .ended), status: DeliveryStatus.ended(.endedByAPI),
                    asOf: nil))
            try await report(stage, .sandbox, user: 1)
            #expect(try await stage.sync(1, .id(id, type: nil), token: [3]).word == "synced")
            #expect(try await slot(stage, id, 1) == 1)
            // Another token proves that the end went to a former one.
            #expect(try await stage.sync(1, .id(id, type: nil), token: [4]).word == "ended before")
        }
    }

    @Test("In an activity that devices open by themselves it moves likewise")
    func deviceInitiatedActivity() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let reference = ActivityReference.external("order", type: StoreStage.type)
            guard case .synced(let record, 0, nil) = try await stage.sync(0, reference, token: [1]) else {
                throw Unexpected()
            }
            try await report(stage, .sandbox)
            guard case .synced(_, Self.sandbox, nil) = try await stage.sync(0, reference, token: [2]) else {
                throw Unexpected()
            }
            try await expectOneDevice(stage, record, at: Self.sandbox, token: [2])
        }
    }
}
