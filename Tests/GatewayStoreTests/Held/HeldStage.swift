import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

/// An activity of three devices with update tokens, and updates of it whose job is held.
struct HeldStage {
    struct Update {
        let order: BroadcastOrder
        let page: PageOfDevices?
        let pageLength: Int
        let job: JobTicket
        let startedAt: WallTime
    }

    let stage: StoreStage
    let store: GatewayStore
    let record: ActivityRecord
    private static let payload = Payload.update(
        content: Content(contentState: Array(#"{"stops_left":7}"#.utf8)[...]), options: PresentationOptions())

    static func run(
        minimumInterval: TimeInterval = .zero,
        clockBounds: @escaping @Sendable (WallTime) -> ClockBounds = { ClockBounds($0) },
        _ body: (HeldStage) async throws -> Void
    ) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            for user in 0..<3 { _ = try await stage.sync(user, .id(record.activity.id, type: nil)) }
            let store = GatewayStore(
                redis: stage.redis, wallClock: { stage.now }, rules: StoreRules(minimumInterval: minimumInterval),
                clockBounds: { clockBounds(stage.now) })
            try await body(HeldStage(stage: stage, store: store, record: record))
        }
    }

    /// Records an update that its gateway wants to hold. Nil if the step refuses it.
    func recorded(
        id: UniqueID? = nil, arrived: WallTime? = nil, _ record: ActivityRecord? = nil
    ) async throws -> HeldBeginning? {
        let record = record ?? self.record
        var draft = BroadcastDraft(
            id: id ?? record.activity.id.randomBroadcast(), kind: .update, scope: .wholeSegment, payload: Self.payload,
            priority: 10, expiration: 77)
        draft.arrived = arrived
        #expect(draft.mayBeHeld(record))
        return try await withCheckedContinuation { [draft] continuation in
            stage.reactor.execute { [store] in
                store.broadcasts.begin(draft, for: record, hold: (1, "\(stage.gateway).\(draft.id)")) {
                    continuation.resume(returning: $0)
                }
            }
        }.get()
    }

    /// Records an update whose job is held; nil if it is not.
    func begin(id: UniqueID? = nil, arrived: WallTime? = nil) async throws -> Update? {
        let now = stage.now
        guard let begun = try await recorded(id: id, arrived: arrived), let job = begun.job else { return nil }
        return Update(
            order: begun.order, page: begun.page, pageLength: begun.pageLength, job: job, startedAt: now)
    }

    /// Writes its end: all accepted unless said otherwise. Nil when it is another's.
    func finish(
        _ update: Update, _ outcome: PageOutcome = .accepted, stop: String? = nil, hasWrongEnvironment: Bool = false,
        mayBeWithdrawn: Bool = false
    ) async throws -> BroadcastRecord? {
        let ended = HeldEnding(
            update.job, update.order, startedAt: update.startedAt, outcome: outcome, pageLength: update.pageLength,
            hasWrongEnvironment: hasWrongEnvironment, stop: stop, mayBeWithdrawn: mayBeWithdrawn)
        return try await withCheckedContinuation { continuation in
            stage.reactor.execute { [store] in
                store.heldJobs.finish(ended) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// The jobs that are no longer the gateway's.
    func renew(_ update: Update, areHandedOver: Bool = false) async throws -> [JobTicket] {
        try await withCheckedContinuation { continuation in
            stage.reactor.execute { [store] in
                store.heldJobs.renew([update.job], shard: update.job.shard, areHandedOver: areHandedOver) {
                    continuation.resume(returning: $0)
                }
            }
        }.get()
    }

    /// An update that is recorded, taken as a job and finished, as any other.
    func usualUpdate(_ outcome: PageOutcome = .accepted) async throws -> BroadcastRecord {
        try await end(try await usualBeginning(), outcome)
    }

    /// Records an update like any other.
    func usualBeginning(id: UniqueID? = nil) async throws -> BroadcastOrder {
        let draft = BroadcastDraft(
            id: id ?? record.activity.id.randomBroadcast(), kind: .update, scope: .wholeSegment, payload: Self.payload,
            priority: 10, expiration: 77)
        return try await store.broadcasts.begin(draft, for: record).get()
    }

    /// Takes the job of an update, and finishes it.
    func end(_ order: BroadcastOrder, _ outcome: PageOutcome = .accepted) async throws -> BroadcastRecord {
        let job = try #require(try await stage.jobs(order).first)
        #expect(try await store.jobs.isDue(job, order) == true)
        _ = try await store.jobs.open(job, order, owner: StoreStage.owner)
        try await stage.finish(outcome, order)
        return try #require(try await store.jobs.complete(job, order, as: stage.gateway, hasSent: true))
    }

    // MARK: What is stored

    func activityFields() async throws -> [String: String] { try await fields(Keys.activity(record.activity.id)) }

    func set(_ field: String, _ value: String) async throws {
        _ = try await store.value(RedisCommand("HSET", Keys.activity(record.activity.id), field, value))
    }

    func remove(_ field: String) async throws {
        _ = try await store.value(RedisCommand("HDEL", Keys.activity(record.activity.id), field))
    }

    private func fields(_ key: String) async throws -> [String: String] {
        let read = try await store.value(RedisCommand("HGETALL", key)).fields
        return Dictionary(
            uniqueKeysWithValues: read.map {
                (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
            })
    }
}

extension PageOutcome {
    /// The outcome of three devices of the first page.
    fileprivate static let accepted = {
        var outcome = PageOutcome(page: 0)
        outcome.accepted = [0, 1, 2]
        outcome.counts.accepted = 3
        return outcome
    }()
}
