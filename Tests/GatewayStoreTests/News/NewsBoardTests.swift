import Delivery
import LiveActivity
import Reactor
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("News")
struct NewsBoardTests {
    @Test("Whoever reads the board sees which places there is news of, each time, however many are announced at once")
    func announced() async throws {
        try await StoreStage.run { stage in
            let board = stage.store.jobNews
            let none = try await board.read()
            #expect(none.changes(since: nil, places: board.places) == Array(0..<64))
            #expect(none.changes(since: none, places: board.places).isEmpty)
            var last = none
            for places in [[63], [0, 5], [5], Array(0..<64)] {
                for place in places + places { board.announce(place) }
                await board.flush()
                let page = try await board.read()
                #expect(page.changes(since: last, places: board.places) == places)
                last = page
            }
            // A board that Redis has lost says something else than before.
            _ = try await stage.redis.value(RedisCommand("DEL", Keys.jobNews))
            let lost = try await board.read()
            #expect(lost == none && lost.changes(since: last, places: board.places) == Array(0..<64))
        }
    }

    @Test("All gateways find the same place for a name, and names are spread over all places")
    func places() async throws {
        try await StoreStage.run { stage in
            let board = stage.store.webhookNews
            #expect(board.place(of: "acme") == 140)
            let places = Set((0..<4000).map { board.place(of: "tenant-\($0)") })
            #expect(places == Set(0..<board.places))
        }
    }

    @Test("What is due soon is announced, and what is due later is known to the gateway that has written it")
    func due() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let board = stage.store.jobNews
            var last = try await board.read()
            let activity = try await stage.register(0..<1).activity
            let shard = Keys.shard(activity.id)
            await board.flush()
            #expect(try await board.read().changes(since: last, places: board.places).isEmpty)
            let noted = stage.store.due.takeNoted()
            #expect(noted.map(\.shard) == [shard] && noted.map(\.time) == [activity.endsAt])
            #expect(stage.store.due.takeNoted().isEmpty)
            for (seconds, isAnnounced) in [(60, false), (2, true), (0, true)] {
                let time = stage.now + .seconds(seconds)
                try await stage.store.due.postpone(.activity(activity.id), until: time)
                await board.flush()
                let page = try await board.read()
                #expect(page.changes(since: last, places: board.places) == (isAnnounced ? [shard] : []))
                last = page
                #expect(stage.store.due.takeNoted().map(\.time) == [time])
            }
        }
    }

    @Test("A shard is quiet when nothing is there, and tells when its next item is due; a glance sees jobs alone")
    func quiet() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.register(0..<2)
            let shard = Keys.shard(record.activity.id)
            let item = DueItem.activity(record.activity.id)
            var taken = try await stage.look(shard)
            #expect(taken.isQuiet && taken.nextDue == record.activity.endsAt && taken.unfinished == 0)
            #expect(try await stage.look((shard + 1) % 64).nextDue == nil)
            #expect(try await !glance(shard, stage))
            // Due, but there is no room for it: so it is not quiet.
            try await stage.store.due.postpone(item, until: stage.now)
            taken = try await stage.look(shard)
            #expect(!taken.isQuiet && taken.due.isEmpty)
            #expect(try await !glance(shard, stage))
            taken = try await stage.look(shard, DueRoom(items: 4, schedules: 4, erasuresOfTenant: 1))
            #expect(!taken.isQuiet && taken.due == [item])
            taken = try await stage.look(shard)
            #expect(taken.isQuiet && taken.nextDue == stage.now + StoredDueItems.dueLease)
            let order = try #require(try await stage.begin(.start, record))
            #expect(try await !stage.look(shard).isQuiet)
            #expect(try await glance(shard, stage))
            let job = try #require(try await stage.jobs(order).first)
            #expect(try await !stage.look(shard).isQuiet, "somebody works on it")
            _ = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
            _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
            #expect(try await stage.look(shard).isQuiet)
            #expect(try await !glance(shard, stage))
        }
    }

    private func glance(_ shard: Int, _ stage: StoreStage) async throws -> Bool {
        try await withCheckedContinuation { continuation in
            stage.reactor.execute { stage.store.jobs.glance(at: shard) { continuation.resume(returning: $0) } }
        }.get()
    }
}
