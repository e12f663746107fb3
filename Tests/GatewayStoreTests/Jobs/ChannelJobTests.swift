import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Jobs without a page")
struct ChannelJobTests {
    private static let sandbox = RosterGeometry.firstSlot(of: .apnsSandbox)
    private static let channel = "dHN0LXNyY2gtY2hubA=="

    /// A started activity of six devices: users 0 to 3, and 4 and 5 in the sandbox, who follow a channel.
    private func started(_ stage: StoreStage) async throws -> ActivityRecord {
        try await stage.addDevices(0..<6)
        try await stage.moveToSandbox(4..<6)
        let record = try await stage.register(0..<6)
        let payload = Payload.update(content: Content(), options: PresentationOptions())
        var draft = BroadcastDraft(kind: .start, scope: .wholeSegment, payload: payload, priority: 10, expiration: 77)
        draft.channels[.apnsSandbox] = Self.channel
        let order = try #require(try? await stage.store.broadcasts.begin(draft, for: record).get())
        #expect(order.channels == Channels() && order.pages == [0, 65_536])
        let jobs = try await stage.jobs(order)
        #expect(jobs.map(\.part) == [.partition(0), .partition(1024)])
        for job in jobs { _ = try await stage.store.jobs.complete(job, order, as: stage.gateway) }
        return try await stage.read(record.activity.id)
    }

    @Test("An update or end of the whole segment has one for each channel, and none for the devices that follow it")
    func parts() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let scopes: [(PushEvent, BroadcastScope, [String])] = [
                (.update, .wholeSegment, ["=1", "0"]), (.update, .slots([1, Self.sandbox]), ["*", "*1"]),
                (.end, .slots([Self.sandbox]), ["*1"]), (.end, .wholeSegment, ["=1", "0"]),
            ]
            for (event, scope, expected) in scopes {
                let order = try #require(try await stage.begin(event, record, scope))
                let jobs = try await stage.jobs(order)
                #expect(jobs.map(\.part.description) == expected)
                #expect(order.channels[.apnsSandbox] == (scope == .wholeSegment ? Self.channel : nil))
                #expect(order.routeKinds.map(\.rawValue) == (expected == ["*1"] ? [1] : [0, 1]))
                for (number, job) in jobs.enumerated() {
                    guard case .due(let read) = try await stage.store.jobs.startJob(job) else { throw Unexpected() }
                    #expect(read.channels == order.channels && read.pages == order.pages)
                    let ended = try await stage.store.jobs.complete(job, read, as: stage.gateway, hasSent: true)
                    #expect((ended != nil) == (number == jobs.count - 1), "\(scope)")
                }
                let names = try await stage.store.value(
                    RedisCommand("HKEYS", Keys.broadcast(record.activity.id, order.id)))
                #expect((names.array ?? []).compactMap(\.string).allSatisfy { !$0.hasPrefix("d=") && $0 != "d0" })
            }
            let turn = try await stage.store.value(RedisCommand("HGET", Keys.activity(record.activity.id), "turn"))
            #expect(turn.string == "0")
            for pattern in ["*:j:*", "*:open", "*:unfinished"] { #expect(try await stage.keys(pattern).isEmpty) }
        }
    }

    @Test("A page stands for the channel: its push is counted once, whoever goes on with it, and is no device's")
    func takeOver() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let order = try #require(try await stage.begin(.end, record))
            #expect(order.pages == [0, 65_536] && order.devices(inPage: 65_536) == 1)
            let jobs = try await stage.jobs(order)
            let job = try #require(jobs.first { $0.part == .channel(.apnsSandbox) })
            #expect(order.pages(of: job.part) == [65_536] && order.partitions(of: job.part) == [1024])
            let first = try #require(try await stage.store.jobs.open(job, order, owner: "first"))
            #expect(first.state(ofPage: 65_536) == .open && !first.isTouched)
            var outcome = PageOutcome(page: 65_536)
            outcome.accepted = [0]
            outcome.counts.accepted = 1
            outcome.forgetDevices()
            let heir = try #require(try await stage.store.jobs.open(job, order, owner: "heir"))
            #expect(heir.state(ofPage: 65_536) == .open && heir.isTouched)
            #expect(try await stage.write(outcome, order, owner: "first") == .lost)
            for _ in 0..<2 { #expect(try await stage.write(outcome, order, owner: "heir") == .written) }
            let next = try #require(try await stage.store.jobs.open(job, order, owner: "next"))
            #expect(next.state(ofPage: 65_536) == .done)
            // Nothing of the device in the page's first slot has changed.
            let statuses = try await stage.stored(.statuses, record.activity.id, 65_536)
            #expect(statuses.prefix(2) == [DeliveryStatus.registered, DeliveryStatus.registered])
            var ended: BroadcastRecord?
            for job in jobs {
                ended = try await stage.store.jobs.complete(job, order, as: stage.gateway, hasSent: true) ?? ended
            }
            #expect(ended?.state == .done && ended?.counts.accepted == 1)
            #expect(try await stage.keys("*.*}:b:\(order.id)*").isEmpty)
        }
    }

    @Test("It waits for older updates and ends, and a newer update leaves it nothing to do")
    func turns() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let older = try #require(try await stage.begin(.update, record))
            let list = try #require(try await stage.begin(.end, record, .slots([Self.sandbox])))
            let newer = try #require(try await stage.begin(.end, record))
            let all = try await stage.jobs(newer)
            func job(_ order: BroadcastOrder, _ part: String) throws -> JobTicket {
                try #require(all.first { $0.broadcastID == order.id && $0.part.description == part })
            }
            let (first, between, last) = (try job(older, "=1"), try job(list, "*1"), try job(newer, "=1"))
            #expect(newer.superseded.contains(older.id))
            _ = try await stage.store.jobs.complete(first, older, as: stage.gateway)
            #expect(try await stage.store.jobs.isDue(last, newer) == false)
            _ = try await stage.store.jobs.complete(between, list, as: stage.gateway)
            #expect(try await stage.store.jobs.isDue(last, newer) == true)
        }
    }

    private struct Unexpected: Error {}

    @Test("Addresses with the sign that parts them from their kind are read as they were written")
    func text() {
        var channels = Channels()
        #expect(channels.text.isEmpty && Channels("") == channels && Channels(nil) == channels)
        channels[.apnsSandbox] = "12=AB=="
        channels[.apns] = "x"
        #expect(channels.text == "0=x,1=12=AB==" && Channels(channels.text) == channels)
        #expect(channels.kinds == [.apns, .apnsSandbox])
        #expect(Channels("x=1,7,300=a,2=") == Channels())
    }
}
