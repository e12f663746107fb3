import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Devices that follow a channel")
struct FollowerTests {
    private static let channel = "dHN0LXNyY2gtY2hubA=="
    private static let first = RosterGeometry.firstSlot(of: .apnsFollower)
    private static let page = RosterGeometry.firstPage(of: .apnsFollower)

    /// Registers an activity with channels: users 0 and 1 are on iOS 17.5, 2 to 7 on iOS 18, and 7 is in the sandbox.
    private func registered(_ stage: StoreStage, storesNewest: Bool = true) async throws -> ActivityRecord {
        try await stage.addDevices(0..<8)
        for user in 0..<2 {
            try await stage.store.devices.putDevice(
                StoreStage.device("17.5"), StoreStage.key(user), tenantID: stage.tenant)
        }
        try await stage.moveToSandbox(7..<8)
        var registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(3600))
        registration.channelUse = ChannelUse(isRequired: true, storesNewest: storesNewest)
        registration.served = [.apns, .apnsSandbox]
        let report = try await stage.store.activities.register(
            registration, insiderIDs: StoreStage.ids(0..<8), tenantID: stage.tenant)
        return try await stage.read(try #require(report.activityID))
    }

    /// Starts an activity with a production channel. The first follower's start fails; the last outcome is unknown.
    private func started(_ stage: StoreStage, storesNewest: Bool = true) async throws -> ActivityRecord {
        let record = try await registered(stage, storesNewest: storesNewest)
        let payload = Payload.update(content: Content(), options: PresentationOptions())
        var draft = BroadcastDraft(kind: .start, scope: .wholeSegment, payload: payload, priority: 10, expiration: 77)
        draft.channels.set(Self.channel, of: .apnsFollower, storesNewest: storesNewest)
        let order = try #require(try? await stage.store.broadcasts.begin(draft, for: record).get())
        #expect(order.channels.isEmpty && order.follows == draft.channels)
        for job in try await stage.jobs(order) {
            guard case .due(let read) = try await stage.store.jobs.startJob(job) else { throw Unexpected() }
            #expect(read.follows == draft.channels && read.channels.isEmpty)
            #expect(read.cohort(of: job.part) == (job.part.routeKind == .apnsFollower ? .channel : .apns))
            _ = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
            for page in order.pages(of: job.part) {
                var outcome = PageOutcome(page: page)
                outcome.accepted = order.slots.indexes(inPage: page).joined().map { UInt16($0) }
                outcome.counts.accepted = outcome.accepted.count
                if page == Self.page {
                    outcome.accepted = [1, 2, 3]
                    outcome.failed = [0]
                    outcome.unknown = [4]
                    outcome.counts.accepted = 3
                }
                try await stage.finish(outcome, order)
            }
            _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
        }
        let told = try await stage.store.broadcasts.broadcast(order.id)?.counts.cohorts.text
        #expect(told == "apns=3/3,channel=5/3")
        return try await stage.read(record.activity.id)
    }

    private struct Unexpected: Error {}

    private func reach(_ stage: StoreStage, _ record: ActivityRecord) async throws -> [Int] {
        let reach = try await stage.store.roster.reach(.update, in: record)
        return [reach.holders, reach.followers]
    }

    @Test("They have bands of their own where their activity uses channels, and only there")
    func bands() async throws {
        try await StoreStage.run { stage in
            let record = try await registered(stage, storesNewest: false)
            #expect(record.routeKinds == [.apns, .apnsFollower, .apnsSandboxFollower])
            #expect(record.slots.count(of: .apnsFollower) == 5 && record.slots.count(of: .apnsSandboxFollower) == 1)
            #expect(record.channelUse == ChannelUse(isRequired: true, storesNewest: false))
            let plain = try await stage.register(0..<8)
            #expect(plain.routeKinds == [.apns, .apnsSandbox] && plain.channelUse == nil)
            for text in ["auto", "required", "auto!", "required!"] { #expect(ChannelUse(text)?.text == text) }
            for text in ["", "never", "!", "auto!!"] { #expect(ChannelUse(text) == nil) }
        }
    }

    @Test("Accepted starts make followers; syncs, dismissals, restarts and moves change how many they are")
    func counted() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let id = record.activity.id
            #expect(try await reach(stage, record) == [0, 3])
            // A report proves a start of unknown outcome, so user 6 becomes a follower.
            #expect(try await stage.sync(6, .id(id, type: nil)).word == "synced")
            #expect(try await stage.sync(0, .id(id, type: nil)).word == "synced")
            #expect(try await stage.sync(3, .id(id, type: nil)).word == "synced")
            #expect(try await reach(stage, record) == [1, 4])
            for _ in 0..<2 {
                _ = try await stage.store.reports.dismiss(
                    StoreStage.key(4), reference: .id(id, type: nil), tenantID: stage.tenant)
            }
            #expect(try await reach(stage, record) == [1, 3])
            // The sandbox has no channel, so a device that moves there is reached by its own token.
            try await stage.moveToSandbox(5..<6)
            #expect(try await stage.sync(5, .id(id, type: nil)).word == "synced")
            let moved = try await stage.read(id)
            #expect(try await reach(stage, moved) == [2, 2])
            stage.advance(.seconds(1))
            let lock = try #require(try await stage.store.restarts.lockRestarts(of: id, for: .random()))
            let wish = RestartWish(.targets([StoreStage.key(4)]), maximumStarts: 9)
            let preparation = try await stage.store.restarts.prepareRestart(wish, of: moved, lock)
            #expect(preparation?.slots == [Self.first + 2])
            #expect(try await reach(stage, moved) == [2, 2])
        }
    }

    @Test("An update of the whole segment is one push for all of them, and the record tells how many they are")
    func published() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let payload = Payload.update(content: Content(), options: PresentationOptions())
            var draft = BroadcastDraft(
                kind: .update, scope: .wholeSegment, payload: payload, priority: 10, expiration: 77)
            draft.covered = 3
            let order = try #require(try? await stage.store.broadcasts.begin(draft, for: record).get())
            let jobs = try await stage.jobs(order)
            #expect(jobs.map(\.part.description) == ["=3", "0", "4096"])
            // Three devices by their tokens, and one push to the channel.
            #expect(try await stage.store.broadcasts.broadcast(order.id)?.total == 4)
            var ended: BroadcastRecord?
            for job in jobs {
                _ = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
                for page in order.pages(of: job.part) {
                    var outcome = PageOutcome(page: page)
                    if case .channel = job.part {
                        outcome.accepted = [0]
                        outcome.counts.accepted = 1
                        outcome.forgetDevices()
                    }
                    #expect(try await stage.write(outcome, order, owner: StoreStage.owner) == .written)
                }
                ended = try await stage.store.jobs.complete(job, order, as: stage.gateway, hasSent: true) ?? ended
            }
            #expect(ended?.counts.accepted == 1 && ended?.counts.cohorts.text == "channel=3/1")
        }
    }

    @Test("Behind a start that is under way an update is sent to the channel once more, and an end waits for it")
    func behindStarts() async throws {
        try await StoreStage.run { stage in
            let record = try await registered(stage)
            let payload = Payload.update(content: Content(), options: PresentationOptions())
            var draft = BroadcastDraft(
                kind: .start, scope: .wholeSegment, payload: payload, priority: 10, expiration: 77)
            draft.channels[.apnsFollower] = Self.channel
            let start = try #require(try? await stage.store.broadcasts.begin(draft, for: record).get())
            let started = try await stage.read(record.activity.id)
            let update = try #require(try await stage.begin(.update, started))
            #expect(update.isSentAfterStart && update.pages.contains(Self.page + 1))
            #expect(try await stage.store.broadcasts.broadcast(update.id)?.total == 5)
            var jobs = try await stage.jobs(update)
            func job(_ order: BroadcastOrder, _ part: String) throws -> JobTicket {
                try #require(jobs.first { $0.broadcastID == order.id && $0.part.description == part })
            }
            let (first, second) = (try job(update, "=3"), try job(update, "+3"))
            #expect(
                second.part == .channelAfterStart(.apnsFollower) && update.pages(of: second.part) == [Self.page + 1])
            #expect(update.devices(inPage: Self.page + 1) == 1 && update.cohort(of: second.part) == .channel)
            #expect(try await stage.store.jobs.isDue(first, update) == true)
            #expect(try await stage.store.jobs.isDue(second, update) == false)
            for job in jobs where job.broadcastID == start.id {
                _ = try await stage.store.jobs.complete(job, start, as: stage.gateway)
            }
            #expect(try await stage.store.jobs.isDue(second, update) == false, "the first push is under way")
            _ = try await stage.store.jobs.complete(first, update, as: stage.gateway)
            guard case .due(let read) = try await stage.store.jobs.startJob(second) else { throw Unexpected() }
            #expect(read.isSentAfterStart && read.pages == update.pages)

            // A restart is in progress.
            let lock = try #require(try await stage.store.restarts.lockRestarts(of: record.activity.id, for: .random()))
            draft = BroadcastDraft(
                kind: .start, scope: .slots([Self.first]), payload: payload, priority: 10, expiration: 77)
            draft.restartLock = lock
            let restart = try #require(try? await stage.store.broadcasts.begin(draft, for: started).get())
            #expect(restart.follows[.apnsFollower] == Self.channel)
            let newer = try #require(try await stage.begin(.update, started))
            let end = try #require(try await stage.begin(.end, started))
            #expect(newer.isSentAfterStart && !end.isSentAfterStart && end.superseded.contains(newer.id))
            for job in jobs where job.broadcastID == update.id {
                _ = try await stage.store.jobs.complete(job, update, as: stage.gateway)
            }
            jobs = try await stage.jobs(end)
            // The second push waits for the first, even if the update is superseded, because they share a partition.
            #expect(try await stage.store.jobs.isDue(try job(newer, "+3"), newer) == false)
            #expect(try await stage.store.jobs.isDue(try job(newer, "=3"), newer) == true)
            _ = try await stage.store.jobs.complete(try job(newer, "=3"), newer, as: stage.gateway)
            #expect(try await stage.store.jobs.isDue(try job(newer, "+3"), newer) == true)
            for job in jobs where job.broadcastID == newer.id {
                _ = try await stage.store.jobs.complete(job, newer, as: stage.gateway)
            }
            #expect(try await stage.store.jobs.isDue(try job(end, "=3"), end) == false)
            #expect(try await stage.store.jobs.isDue(try job(end, "0"), end) == true)
            _ = try await stage.store.jobs.complete(try job(restart, "*3"), restart, as: stage.gateway)
            #expect(try await stage.store.jobs.isDue(try job(end, "=3"), end) == true)
        }
    }

    @Test("Their silence is no reason to start them again, and they are sent no update again that a channel keeps")
    func silence() async throws {
        for storesNewest in [true, false] {
            try await StoreStage.run { stage in
                let record = try await started(stage, storesNewest: storesNewest)
                #expect(record.hearsByChannel(Self.first) == storesNewest && !record.hearsByChannel(0))
                stage.advance(.seconds(900))
                let lock = try #require(
                    try await stage.store.restarts.lockRestarts(of: record.activity.id, for: .random()))
                let wish = RestartWish(.notSynced(olderThan: .seconds(300)), maximumStarts: 9)
                let preparation = try await stage.store.restarts.prepareRestart(wish, of: record, lock)
                // The start names no sandbox channel, so the sandbox device does not follow one.
                #expect(preparation?.slots == [0, 1, RosterGeometry.firstSlot(of: .apnsSandboxFollower)])
            }
        }
    }

    @Test("The end of the activity ends them all, without a note for any of them")
    func ended() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            _ = try #require(try await stage.begin(.end, record))
            let dead = try await stage.read(record.activity.id)
            let counts = try await stage.store.reader.stateCounts(in: dead)
            #expect(counts[.channel]?[.ended] == 3 && counts[.channel]?.ended == [.endedByAPI: 3])
            #expect(counts[.channel]?[.failed] == 1 && counts[.channel]?[.unknown] == 1 && counts[.apns]?[.ended] == 0)
            let listed = try await stage.store.reader.devices(of: dead, in: .ended, limit: 100).devices
            #expect(listed.map(\.endReason) == [.endedByAPI, .endedByAPI, .endedByAPI])
            #expect(Set(listed.map(\.cohort)) == [.channel])
        }
    }

    @Test("What a channel keeps is written beside its address")
    func text() {
        var channels = Channels()
        channels.set("a=", of: .apnsFollower, storesNewest: false)
        channels.set("b=", of: .apnsSandboxFollower, storesNewest: true)
        #expect(channels.text == "3=!a=,4=b=" && Channels(channels.text) == channels)
        #expect(!channels.storesNewest(.apnsFollower) && channels[.apnsFollower] == "a=")
        channels.set("c=", of: .apnsFollower, storesNewest: true)
        #expect(channels.text == "3=c=,4=b=")
    }
}
