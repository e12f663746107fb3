import Delivery
import GatewayStore
import LiveActivity
import MockAPNs
import Reactor
import RedisClient
import Testing
import TimeCore

// Broadcasts and their jobs, past the API.
extension TestStage {
    /// Begins a broadcast and returns its id without waiting for the pushes.
    ///
    /// - Parameter event: `start`, `update` or `end`.
    func begin(_ event: String, _ body: String, gateway: Int = 0, port: Int? = nil) async throws -> UniqueID {
        let answer = try await call(event, body, headers: ["Prefer": "respond-async"], gateway: gateway, port: port)
        try #require(answer.status == 202, "\(answer.text)")
        return try #require(answer.broadcastID, "\(answer.text)")
    }

    /// The state of a broadcast that has ended, which it waits for.
    func ended(_ id: UniqueID, gateway: Int = 0) async throws -> Answer {
        let end = MonotonicTime.now() + .seconds(90)
        while true {
            let answer = try await read("/api/v1/live-activity/broadcasts/\(id)", gateway: gateway)
            let state = answer["state"]?.string
            if state != "queued", state != "running", state != "paused" { return answer }
            try #require(MonotonicTime.now() < end, "the broadcast does not end: \(answer.text)")
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// The start that `TestStage.body` asks for.
    static func startDraft(_ id: UniqueID = .random()) -> BroadcastDraft {
        let content = Content(
            title: Array(#""Kick-off""#.utf8)[...], message: Array(#""It begins""#.utf8)[...],
            contentState: Array(#"{"home":0,"away":0}"#.utf8)[...], attributes: Array(#"{"m":1}"#.utf8)[...])
        let payload = Payload.start(
            type: type, content: content, options: PresentationOptions(), activityIDAttribute: nil)
        return BroadcastDraft(
            id: id, kind: .start, scope: .wholeSegment, payload: payload, priority: 10, expiration: 0)
    }

    /// Takes the jobs of an order as a gateway that is not there.
    func take(_ order: BroadcastOrder, as gateway: UniqueID = .random()) async throws -> [JobTicket] {
        try await withCheckedContinuation { continuation in
            store.redis.reactor.execute { [store] in
                store.jobs.takeJobs(
                    shard: StoredJobs.shard(of: order.activity.id), as: gateway,
                    JobCapacity(small: 9, first: 9, updates: 9), silence: .seconds(60)
                ) { continuation.resume(returning: $0.map(\.jobs)) }
            }
        }.get()
    }

    /// Begins a start of devices 0 up to `count` and takes its jobs as a gateway that is not there.
    ///
    /// Tries again with another activity if a gateway of the stage was faster.
    func beginAndTake(_ count: Int) async throws -> (order: BroadcastOrder, jobs: [JobTicket]) {
        for _ in 0..<20 {
            let id = try #require(UniqueID(try await register(count)))
            let record = try #require(try await store.activities.activity(id))
            let order = try await store.broadcasts.begin(TestStage.startDraft(), for: record).get()
            let jobs = try await take(order)
            if !jobs.isEmpty { return (order, jobs) }
        }
        throw NeverFirst()
    }

    /// Takes the jobs of an activity from their gateway, like one that is gone before it sends anything.
    func takeOver(_ activity: UniqueID) async throws {
        let jobs = try await withCheckedContinuation { continuation in
            store.redis.reactor.execute { [store] in
                store.jobs.takeJobs(
                    shard: StoredJobs.shard(of: activity), as: .random(),
                    JobCapacity(small: 9, first: 9, updates: 9), silence: .zero
                ) { continuation.resume(returning: $0.map(\.jobs)) }
            }
        }.get()
        try #require(!jobs.isEmpty)
        for job in jobs {
            guard case .due(let order) = try await store.jobs.startJob(job) else { throw NothingToTakeOver() }
            _ = try await store.jobs.open(job, order, owner: "heir")
        }
    }

    private struct NothingToTakeOver: Error {}

    /// Notes the first devices of a page as about to be sent a start.
    func note(_ count: Int, page: Int = 0, _ order: BroadcastOrder, owner: String) async throws -> JobWrite {
        try await withCheckedContinuation { continuation in
            store.redis.reactor.execute { [store] in
                let run = NotedRun(.noted, number: 1, page: page, indexes: (0..<count).map { UInt16($0) })
                store.jobs.note([run], of: order, owner: owner) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// The number of devices that the holds of all running starts have noted as about to be sent one.
    func notedDevices() async throws -> Int {
        var sum = 0
        for key in try await redis(RedisCommand("KEYS", "fanfare:*:m:*")).array ?? [] {
            let elements = try await redis(RedisCommand("LRANGE", key.string ?? "", "0", "-1")).array ?? []
            for element in elements.compactMap(\.bytes) where element.first == NotedRun.Kind.noted.rawValue {
                // Nine bytes of head, then ranges of a first index and a count.
                for range in stride(from: 9, to: element.count, by: 4) {
                    sum += Int(element[range + 2]) | Int(element[range + 3]) << 8
                }
            }
        }
        return sum
    }

    func finish(_ outcome: PageOutcome, _ order: BroadcastOrder, owner: String) async throws -> JobWrite {
        try await withCheckedContinuation { continuation in
            store.redis.reactor.execute { [store] in
                store.pages.write(outcome, of: order, owner: owner) { continuation.resume(returning: $0) }
            }
        }.get()
    }
}

extension TestStage.Answer {
    /// The broadcast that a call has begun.
    var broadcastID: UniqueID? { self["broadcast_id"]?.string.flatMap { UniqueID($0) } }
}

/// In each attempt a gateway of the stage took the jobs before the test did.
struct NeverFirst: Error {}
