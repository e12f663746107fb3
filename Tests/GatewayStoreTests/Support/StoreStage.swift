import Delivery
import Foundation
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

/// A store on a Redis (see `StoreBackend`) and a clock that the test turns.
final class StoreStage: Sendable {
    let backend: StoreBackend
    let reactor: Reactor
    let redis: RedisClient
    let store: GatewayStore
    let tenant = "tenant"
    /// The admission of a key of `tenant`.
    var admission: Admission {
        Admission(
            tenantID: tenant, tier: .growth, isEnabled: true, signatures: .none, identityHashes: [],
            hasUnreadableIdentity: false, rate: .init(isAllowed: true, remaining: 0, resetAt: 0))
    }
    let gateway = UniqueID.random()
    static let owner = "worker"
    /// The key that seals identity secrets.
    static let sealingKey = [UInt8](repeating: 7, count: 32)
    private let clock: Locked<WallTime>
    /// The activity for which each user has reported the usual token.
    private let firstActivities = Locked<[Int: UniqueID]>([:])

    private init(
        _ backend: StoreBackend, at endpoint: RedisEndpoint, _ reactor: Reactor, commandDeadline: TimeCore.TimeInterval?
    ) {
        self.backend = backend
        self.reactor = reactor
        let clock = Locked(WallTime.now())
        self.clock = clock
        var options = RedisClientOptions()
        options.scripts = GatewayStore.scripts
        if let commandDeadline { options.commandDeadline = commandDeadline }
        redis = RedisClient(reactor: reactor, endpoint: endpoint, options: options)
        store = GatewayStore(
            redis: redis, wallClock: { clock.withLock { $0 } },
            identity: IdentitySecrets(keyMaterial: StoreStage.sealingKey))
    }

    /// - Parameter onCluster: true for a cluster, false for a single server. The other tests' store is the default.
    static func run(
        onCluster: Bool = StoreBackend.isCluster, commandDeadline: TimeCore.TimeInterval? = nil,
        _ body: (StoreStage) async throws -> Void
    ) async throws {
        let directory = "/tmp/fanfare-store-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let refusals = ScriptRefusals.current
        let backend = try await StoreBackend.start(in: directory, onCluster: onCluster && refusals == nil)
        let result: Result<Void, any Error>
        do {
            let proxy = try refusals.map { try RefusingProxy(to: backend.endpoint, $0) }
            defer { proxy?.stop() }
            // Behind the proxy, one call of a script takes many.
            let deadline = proxy == nil ? commandDeadline : .seconds(60)
            result = .success(try await run(on: backend, at: proxy?.endpoint ?? backend.endpoint, deadline, body))
        } catch {
            result = .failure(error)
        }
        await backend.stop()
        try result.get()
    }

    private static func run(
        on backend: StoreBackend, at endpoint: RedisEndpoint, _ commandDeadline: TimeCore.TimeInterval?,
        _ body: (StoreStage) async throws -> Void
    ) async throws {
        let stage = StoreStage(
            backend, at: endpoint, try Reactor(name: "store"), commandDeadline: commandDeadline)
        let result: Result<Void, any Error>
        do { result = .success(try await body(stage)) } catch { result = .failure(error) }
        await stage.redis.shutdown()
        stage.reactor.stop()
        try result.get()
    }

    /// All keys that match.
    func keys(_ pattern: String) async throws -> [String] { try await backend.keys(pattern, by: redis) }

    /// Calls a body while Redis refuses a command.
    func refusing(_ command: String, _ body: () async throws -> Void) async throws {
        _ = try await store.value(RedisCommand("ACL", "SETUSER", "default", "-\(command.lowercased())"))
        try await body()
        _ = try await store.value(RedisCommand("ACL", "SETUSER", "default", "+\(command.lowercased())"))
    }

    var now: WallTime { clock.withLock { $0 } }

    func advance(_ interval: TimeCore.TimeInterval) {
        clock.withLock { $0 = $0 + interval }
    }

    func setBack(_ interval: TimeCore.TimeInterval) {
        clock.withLock { $0 = WallTime(milliseconds: $0.milliseconds - Int64(interval.millisecondsRoundedUp)) }
    }

    // MARK: Devices

    static let type = "Match"

    static func key(_ user: Int, _ device: Int = 0) -> DeviceKey {
        DeviceKey(insiderID: "user-\(user)", udid: "phone-\(user)-\(device)")
    }

    static func token(_ number: Int, length: Int = 32) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 3)) ^ $0) }
    }

    static func device(_ version: String = "18.0", optIn: Bool = true, consent: Bool = true) -> Device {
        Device(
            platform: .ios, osVersion: OSVersion(version) ?? .pushToStart, pushOptIn: optIn, gdprConsent: consent,
            environment: .production)
    }

    /// Users with one eligible device each, whose token is `token(user)`.
    func addDevices(_ users: Range<Int>) async throws {
        try await store.devices.importDevices(
            users.map { (Self.key($0), Self.device(), Self.token($0)) }, tenantID: tenant)
    }

    /// Has their devices in the sandbox from now on.
    func moveToSandbox(_ users: Range<Int>) async throws {
        var device = Self.device()
        device.environment = .sandbox
        for user in users { try await store.devices.putDevice(device, Self.key(user), tenantID: tenant) }
    }

    static func ids(_ users: Range<Int>) -> [String] { users.map { key($0).insiderID } }

    // MARK: Activities

    func register(_ users: Range<Int>, type: String = StoreStage.type, lasting: TimeCore.TimeInterval = .seconds(3600))
        async throws
        -> ActivityRecord
    {
        let registration = StoredActivities.Registration(type: type, endsAt: now + lasting)
        let report = try await store.activities.register(registration, insiderIDs: Self.ids(users), tenantID: tenant)
        return try await read(try #require(report.activityID))
    }

    func read(_ id: UniqueID) async throws -> ActivityRecord {
        try #require(try await store.activities.activity(id))
    }

    /// An activity of a single device. Its record says that the segment spans `count` partitions, which is all that its
    /// broadcasts read of the segment.
    func started(partitions count: Int) async throws -> ActivityRecord {
        try await addDevices(0..<1)
        let id = try await started(0..<1).activity.id
        let slots = SlotRanges([0..<UInt32(count * RosterGeometry.slotsPerPartition)])
        _ = try await store.value(RedisCommand("HSET", Keys.activity(id), "slots", slots.bytes, "devices", 1))
        return try await read(id)
    }

    /// An activity whose start has reached all devices.
    func started(_ users: Range<Int>, type: String = StoreStage.type) async throws -> ActivityRecord {
        let record = try await register(users, type: type)
        let order = try #require(try await begin(.start, record))
        for job in try await jobs(order) {
            _ = try await store.jobs.open(job, order, owner: Self.owner)
            for page in order.pages(of: job.part) {
                var outcome = PageOutcome(page: page)
                outcome.accepted = order.slots.indexes(inPage: page).joined().map { UInt16($0) }
                try await finish(outcome, order)
            }
            _ = try await store.jobs.complete(job, order, as: gateway)
        }
        return try await read(record.activity.id)
    }

    func begin(
        _ kind: PushEvent, _ record: ActivityRecord, _ scope: BroadcastScope = .wholeSegment,
        payload: Payload = .update(content: Content(), options: PresentationOptions()), id: UniqueID? = nil,
        expiration: Int64 = 77, by store: GatewayStore? = nil
    ) async throws -> BroadcastOrder? {
        let draft = BroadcastDraft(
            id: id ?? record.activity.id.randomBroadcast(), kind: kind, scope: scope, payload: payload, priority: 10,
            expiration: expiration)
        switch try await (store ?? self.store).broadcasts.begin(draft, for: record) {
        case .success(let order): return order
        case .failure: return nil
        }
    }

    /// The record of a broadcast that has ended, from any place where it may be kept.
    func ended(_ id: UniqueID, in activity: UniqueID) async throws -> String? {
        try await store.values(EndedBroadcast.reads(id, in: activity)).lazy.compactMap(\.string).first
    }

    // MARK: Pages

    func page(_ number: Int, _ order: BroadcastOrder, isResumed: Bool = false) async throws -> PageOfDevices {
        try await withCheckedContinuation { continuation in
            reactor.execute {
                self.store.pages.readPage(number, of: order, isResumed: isResumed) {
                    continuation.resume(returning: $0)
                }
            }
        }.get()
    }

    /// Writes what became of a page, as the one who works on its partition.
    func finish(_ outcome: PageOutcome, _ order: BroadcastOrder) async throws {
        _ = try await store.value(
            RedisCommand(
                "HSET", Keys.progress(order.activity.id, RosterGeometry.partition(ofPage: outcome.page), order.id),
                "owner", Self.owner))
        #expect(try await write(outcome, order) == .written)
    }

    func write(
        _ outcome: PageOutcome, _ order: BroadcastOrder, owner: String = StoreStage.owner
    ) async throws -> JobWrite {
        try await withCheckedContinuation { continuation in
            reactor.execute {
                self.store.pages.write(outcome, of: order, owner: owner) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// Sets aside the tokens that the provider has refused for themselves, as a run does when it is over.
    func quarantine(_ outcome: PageOutcome, _ order: BroadcastOrder) async throws {
        try await withCheckedContinuation { continuation in
            reactor.execute {
                self.store.quarantine.add(
                    outcome.quarantinedTokens, inPage: outcome.page, of: order, asOf: outcome.pushedAt
                ) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    // MARK: Jobs

    /// Takes the jobs of the order's shard.
    func jobs(
        _ order: BroadcastOrder, as gateway: UniqueID? = nil, silence: TimeCore.TimeInterval = .seconds(60),
        _ capacity: JobCapacity = JobCapacity(small: 9, first: 9, updates: 9)
    ) async throws -> [JobTicket] {
        try await withCheckedContinuation { continuation in
            reactor.execute {
                self.store.jobs.takeJobs(
                    shard: StoredJobs.shard(of: order.activity.id), as: gateway ?? self.gateway, capacity,
                    silence: silence
                ) { continuation.resume(returning: $0.map(\.jobs)) }
            }
        }.get()
    }

    /// Polls a shard without taking a job.
    func look(_ shard: Int, _ room: DueRoom = .none) async throws -> TakenJobs {
        try await withCheckedContinuation { continuation in
            reactor.execute {
                self.store.jobs.takeJobs(
                    shard: shard, as: self.gateway, JobCapacity(small: 0, first: 0, updates: 0),
                    silence: .seconds(60), due: room
                ) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// Makes it appear that the gateway has not renewed its jobs for a time.
    func beSilent(for silence: TimeCore.TimeInterval, _ jobs: [JobTicket], as gateway: UniqueID) async throws {
        for job in jobs {
            _ = try await store.value(
                RedisCommand(
                    "XCLAIM", Keys.jobs(job.shard, job.lane), "gateways", gateway.description, 0, job.entry, "IDLE",
                    Int(silence.millisecondsRoundedUp), "JUSTID"))
        }
    }

    /// The jobs that are no longer the gateway's.
    func renew(_ jobs: [JobTicket], as gateway: UniqueID, areHandedOver: Bool = false) async throws -> [JobTicket] {
        try await withCheckedContinuation { continuation in
            reactor.execute {
                self.store.jobs.renewJobs(
                    jobs, shard: jobs.first?.shard ?? 0, as: gateway, areHandedOver: areHandedOver
                ) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// Notes devices of a page as about to be sent a start, or takes that back.
    func note(
        _ indexes: [UInt16], kind: NotedRun.Kind = .noted, number: UInt32 = 1, _ order: BroadcastOrder, owner: String
    ) async throws -> JobWrite {
        try await withCheckedContinuation { continuation in
            reactor.execute {
                let run = NotedRun(kind, number: number, page: 0, indexes: indexes)
                self.store.jobs.note([run], of: order, owner: owner) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// Releases devices like a hold that has lost the job.
    @discardableResult
    func release(
        _ indexes: [UInt16], number: UInt32 = 9, _ order: BroadcastOrder, owner: String
    ) async throws -> LeftOut? {
        try await withCheckedContinuation { continuation in
            reactor.execute {
                let run = NotedRun(.released, number: number, page: 0, indexes: indexes)
                self.store.jobs.release(run, of: order, owner: owner) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    func isSuperseded(_ order: BroadcastOrder) async throws -> Bool {
        try await withCheckedContinuation { continuation in
            reactor.execute {
                self.store.jobs.readStop(of: order.id, in: order.activity.id, over: []) { result in
                    continuation.resume(returning: result.map(\.isSuperseded))
                }
            }
        }.get()
    }

    /// The tokens that a start of the whole segment would be sent to, by slot.
    func startTokens(_ id: UniqueID) async throws -> [Int: [UInt8]] {
        let record = try await read(id)
        var tokens: [Int: [UInt8]] = [:]
        for page in record.slots.pages {
            let cells = try await stored(.startTokens, id, page)
            let statuses = try await stored(.statuses, id, page)
            for index in record.slots.indexes(inPage: page).joined() where DeliveryStatus.isMember(statuses[index]) {
                if case .content(let range) = TokenPage(cells).cell(index) {
                    tokens[Int(RosterGeometry.slot(page: page, index: index))] = Array(cells[range])
                }
            }
        }
        return tokens
    }

    func sync(_ user: Int, _ reference: ActivityReference, token: [UInt8]? = nil, system: String? = nil) async throws
        -> SyncOutcome
    {
        try await store.reports.sync(
            Self.key(user), token: token ?? updateToken(user, reference), reference: reference,
            systemActivityID: system, tenantID: tenant)
    }

    /// The token of a device's Live Activity: the usual one in the first activity, in any other one of its own.
    private func updateToken(_ user: Int, _ reference: ActivityReference) -> [UInt8] {
        guard case .id(let id, _) = reference else { return Self.token(user + 5000) }
        let first = firstActivities.withLock { activities in
            activities[user] = activities[user] ?? id
            return activities[user]
        }
        return first == id ? Self.token(user + 5000) : Self.token(user + 5000) + id.bytes
    }
}

extension ActivityReader {
    /// The number of devices in each state, over all cohorts.
    func summedStates(in record: ActivityRecord) async throws -> DeviceStateCounts {
        try await stateCounts(in: record).values.reduce(into: DeviceStateCounts()) { $0.add($1) }
    }
}

extension SyncOutcome {
    /// The outcome in one word.
    var word: String {
        switch self {
        case .notFound: "not found"
        case .notStarted: "not started"
        case .ambiguous: "ambiguous"
        case .typeMismatch: "another type"
        case .synced(_, _, nil): "synced"
        case .synced(_, _, .some): "late end"
        case .behind: "behind"
        case .endedBefore(_, _, .userDismissed): "dismissed"
        case .endedBefore: "ended before"
        case .over(_, _, nil): "over"
        case .over(_, _, .some): "over, late end"
        }
    }
}

extension UserRecord {
    func pushToStartToken(udid: String, type: String) -> Token? {
        device(udid).flatMap { pushToStartToken(device: $0.number, type: type) }
    }
}

extension PageOfDevices {
    var tokens: [Int: [UInt8]] {
        Dictionary(uniqueKeysWithValues: devices.map { ($0.index, Array(bytes[$0.token])) })
    }
}
