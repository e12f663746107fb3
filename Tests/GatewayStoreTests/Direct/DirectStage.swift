import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

/// An activity of three devices with update tokens, and updates of it that are sent at once.
struct DirectStage {
    struct Update {
        let order: BroadcastOrder
        let page: PageOfDevices
        let job: JobTicket
        let hold: String
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
        _ body: (DirectStage) async throws -> Void
    ) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            for user in 0..<3 { _ = try await stage.sync(user, .id(record.activity.id, type: nil)) }
            let store = GatewayStore(
                redis: stage.redis, wallClock: { stage.now }, minimumInterval: minimumInterval,
                clockBounds: { clockBounds(stage.now) })
            try await body(DirectStage(stage: stage, store: store, record: record))
        }
    }

    /// The segments that `find` returns for small activities; nil for others.
    static func find(
        _ records: [ActivityRecord], _ direct: StoredDirect, _ stage: StoreStage
    ) async throws -> [SmallSegment?] {
        var found: [SmallSegment?] = []
        for record in records {
            let kind = try await withCheckedContinuation { continuation in
                stage.reactor.execute {
                    direct.find(record.activity.id, of: record.activity.tenantID) { continuation.resume(returning: $0) }
                }
            }.get()
            if case .small(let segment)? = kind { found.append(segment) } else { found.append(nil) }
        }
        return found
    }

    func begin(
        id: UniqueID? = nil, isRepetition: Bool = false, tenantID: String? = nil, type: String = StoreStage.type,
        segment: SmallSegment? = nil, arrived: WallTime? = nil, meanwhile: () async throws -> Void = {}
    ) async throws -> Update? {
        let segment = try #require(segment ?? SmallSegment(record))
        _ = try await Self.find([record], store.direct, stage)
        let draft = DirectDraft(
            id: id ?? record.activity.id.randomBroadcast(), isRepetition: isRepetition,
            activityID: record.activity.id, tenantID: tenantID ?? stage.tenant, type: type, payload: Self.payload,
            priority: 10, expiration: nil, origin: BroadcastOrigin(), arrived: arrived)
        let hold = "\(stage.gateway).\(draft.id)"
        let now = stage.now
        let isPlain = try await withCheckedContinuation { continuation in
            stage.reactor.execute { [store] in
                store.direct.check(draft, segment) { continuation.resume(returning: $0) }
            }
        }.get()
        guard isPlain else { return nil }
        try await meanwhile()
        let begun = try await withCheckedContinuation { continuation in
            stage.reactor.execute { [store] in
                store.direct.begin(draft, segment, hold: hold, at: now) { continuation.resume(returning: $0) }
            }
        }.get()
        guard case .begun(let taken) = begun else { return nil }
        return [taken].first.map {
            Update(
                order: $0.order, page: $0.page, job: store.direct.job(of: $0.order, hold: 1, at: now), hold: hold,
                startedAt: now)
        }
    }

    /// Writes its end: all accepted unless said otherwise. Nil when it is another's.
    func finish(
        _ update: Update, _ outcome: PageOutcome = .accepted, stop: String? = nil, hasWrongEnvironment: Bool = false
    ) async throws -> BroadcastRecord? {
        let ended = StoredDirect.Ending(
            update.job, update.order, hold: update.hold, startedAt: update.startedAt, outcome: outcome, pageLength: 3,
            hasWrongEnvironment: hasWrongEnvironment)
        return try await withCheckedContinuation { continuation in
            stage.reactor.execute { [store] in
                store.direct.finish(ended, stop: stop) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// The jobs that are no longer the gateway's.
    func renew(_ update: Update, areHandedOver: Bool = false) async throws -> [JobTicket] {
        try await withCheckedContinuation { continuation in
            stage.reactor.execute { [store] in
                store.direct.renew(
                    [(update.job, update.hold)], shard: update.job.shard, areHandedOver: areHandedOver
                ) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// An update that is recorded, taken as a job and finished, as any other.
    func usualUpdate() async throws -> BroadcastRecord {
        let draft = BroadcastDraft(
            id: record.activity.id.randomBroadcast(), kind: .update, scope: .wholeSegment, payload: Self.payload,
            priority: 10, expiration: 77)
        let order = try await store.broadcasts.begin(draft, for: record).get()
        let job = try #require(try await stage.jobs(order).first)
        #expect(try await store.jobs.isDue(job, order) == true)
        _ = try await store.jobs.open(job, order, owner: StoreStage.owner)
        try await stage.finish(.accepted, order)
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

extension SmallSegment {
    /// A copy with another end.
    init?(_ record: ActivityRecord, end: UInt32) {
        guard let segment = SmallSegment(record) else { return nil }
        self.init(first: segment.first, end: end)
    }
}
