import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import RosterCore
import TimeCore

/// Measures the cost of each step of one activity, from the import of its devices to an update of all of them.
struct Measurement {
    private let stage: BenchmarkStage
    private let segment: Segment
    private let devices: Int
    private let gateway = UniqueID.random()
    private var figures = Figures()

    /// The number of users in each call of `register` and `add-users`.
    private static let usersPerCall = 10_000
    private static let targets = 100
    private static let rounds = 20

    init(_ stage: BenchmarkStage, devices: Int) {
        self.stage = stage
        self.devices = devices
        segment = Segment(count: devices)
    }

    consuming func run() async throws -> Figures {
        figures.add("devices", Double(devices), digits: 0)
        let tenant = try await stage.store.tenants.createTenant(name: "benchmark", tier: .enterprise).tenantID
        let empty = try await stage.usedMemory()
        try await importDevices(tenant)
        let registered = try await stage.usedMemory()
        // A user with one device has consents, versions and one push-to-start token.
        figures.add("registry_bytes_per_device", Double(registered - empty) / Double(devices))
        let record = try await register(tenant)
        try await targetedStart(record)
        let start = try await order(.start, record, .wholeSegment)
        let jobs = try await take(start)
        try await walk("start_", start, record.slots.pages, finishes: true)
        try await sync(record, tenant)
        // The activity has added both kinds of token, its own keys and its fields in the users' keys.
        let synced = try await stage.usedMemory()
        figures.add("roster_bytes_per_device", Double(synced - registered) / Double(devices))
        let started = try await fresh(record)
        try await walk("", try await order(.update, started, .wholeSegment), record.slots.pages, finishes: false)
        build()
        // The end of the start deletes its tokens.
        for job in jobs { _ = try await stage.store.jobs.complete(job, start, as: gateway) }
        let left = try await stage.usedMemory()
        figures.add("running_roster_bytes_per_device", Double(left - registered) / Double(devices))
        return figures
    }

    // MARK: Devices

    private mutating func importDevices(_ tenant: String) async throws {
        let time = try await BenchmarkStage.milliseconds {
            for start in stride(from: 0, to: devices, by: 2000) {
                let batch = (start..<min(devices, start + 2000)).map(segment.device)
                try await stage.store.devices.importDevices(batch, tenantID: tenant)
            }
        }
        figures.add("import_devices_per_second", Double(devices) / time * 1000, digits: 0)
    }

    /// Registers the whole segment in calls of 10,000 users: one `register`, then `add-users`.
    private mutating func register(_ tenant: String) async throws -> ActivityRecord {
        var id: UniqueID?
        let registration = StoredActivities.Registration(type: Segment.type, endsAt: .now() + .seconds(86_400))
        let time = try await BenchmarkStage.milliseconds {
            for start in stride(from: 0, to: devices, by: Measurement.usersPerCall) {
                let ids = (start..<min(devices, start + Measurement.usersPerCall)).map { segment.key($0).insiderID }
                if let id {
                    _ = try await stage.store.activities.addUsers(ids, to: id)
                } else {
                    id = try await stage.store.activities.register(registration, insiderIDs: ids, tenantID: tenant)
                        .activityID
                }
            }
        }
        guard let id, let record = try await stage.store.activities.activity(id), record.slots.count == devices else {
            throw BenchmarkFailure("the segment is not complete")
        }
        figures.add("register_devices_per_second", Double(devices) / time * 1000, digits: 0)
        return record
    }

    // MARK: A targeted start

    /// Measures a start of 100 devices from all over the segment: finding them and reading their pages.
    private mutating func targetedStart(_ record: ActivityRecord) async throws {
        let keys = (0..<Measurement.targets).map { segment.key($0 * (devices / Measurement.targets)) }
        var lookups: [Double] = []
        var reads: [Double] = []
        var slots: [UInt32] = []
        for _ in 0..<Measurement.rounds {
            lookups.append(
                try await BenchmarkStage.milliseconds {
                    let found = try await stage.store.roster.targets(keys, .pushToStart, in: record.activity).found
                    slots = found.filter { $0.skip == nil }.map(\.slot)
                })
            guard slots.count == Measurement.targets else { throw BenchmarkFailure("targets are missing") }
            let order = BroadcastOrder(targeting: slots, kind: .start, activity: record.activity)
            reads.append(try await BenchmarkStage.milliseconds { try await read(order) })
        }
        let order = BroadcastOrder(targeting: slots, kind: .start, activity: record.activity)
        let cost = try await stage.traffic {
            _ = try await stage.store.roster.targets(keys, .pushToStart, in: record.activity)
            try await read(order)
        }
        figures.add("targeted_lookup_ms", lookups.sorted()[lookups.count / 2], digits: 2)
        figures.add("targeted_lookup_max_ms", lookups.max() ?? 0, digits: 2)
        figures.add("targeted_page_read_ms", reads.sorted()[reads.count / 2], digits: 2)
        figures.add("targeted_commands", Double(cost.commands), digits: 0)
        figures.add("targeted_bytes", Double(cost.bytes), digits: 0)
    }

    private func read(_ order: BroadcastOrder) async throws {
        let outcome = try await PageWalk.run(stage, order, pages: order.pages, finishes: false)
        guard outcome.devices == Measurement.targets else { throw BenchmarkFailure("a target is missing in its page") }
    }

    // MARK: The whole segment

    private func order(_ kind: PushEvent, _ record: ActivityRecord, _ scope: BroadcastScope) async throws
        -> BroadcastOrder
    {
        let payload = Payload.update(content: Content(), options: PresentationOptions())
        let draft = BroadcastDraft(kind: kind, scope: scope, payload: payload, priority: 10, expiration: 0)
        return try await stage.store.broadcasts.begin(draft, for: record).get()
    }

    /// Reads all pages of a broadcast and, if `finishes` is true, writes a success for each device. Times per device
    /// are the CPU time of the reactor's thread: from socket to `BroadcastPage`, and from outcome to reply.
    private mutating func walk(_ name: String, _ order: BroadcastOrder, _ pages: [Int], finishes: Bool) async throws {
        var outcome = PageWalk.Outcome()
        let time = try await BenchmarkStage.milliseconds {
            outcome = try await PageWalk.run(stage, order, pages: pages, finishes: finishes)
        }
        guard outcome.devices == devices else { throw BenchmarkFailure("\(outcome.devices) devices were read") }
        figures.add("\(name)page_read_ns_per_device", Double(outcome.readTime) / Double(devices))
        if finishes { figures.add("\(name)page_finish_ns_per_device", Double(outcome.finishTime) / Double(devices)) }
        figures.add("\(name)walk_devices_per_second", Double(devices) / time * 1000, digits: 0)
    }

    /// Builds a `BroadcastPage` from the bytes of one page many times, which excludes Redis and the network.
    private mutating func build() {
        let slots = SlotRanges([0..<UInt32(RosterGeometry.slotsPerPage)])
        let activity = Activity(
            id: .random(), tenantID: "", type: "", state: .started, createdAt: .now(), endsAt: .now())
        let order = BroadcastOrder(wholeSegment: slots, kind: .update, activity: activity)
        let (bytes, statuses) = segment.updatePage()
        let rounds = 2000
        var devices = 0
        let start = BenchmarkStage.threadTime
        for _ in 0..<rounds {
            let page = PageOfDevices(0, of: order, bytes, statuses)
            devices += BroadcastPage(number: page.page, devices: page.devices, bytes: page.bytes).count
        }
        figures.add("page_build_ns_per_device", Double(BenchmarkStage.threadTime - start) / Double(devices))
    }

    /// Reports the update token of every device.
    private mutating func sync(_ record: ActivityRecord, _ tenant: String) async throws {
        let (stage, segment, devices) = (stage, segment, devices)
        let id = record.activity.id
        let workers = 100
        let time = try await BenchmarkStage.milliseconds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<workers {
                    group.addTask {
                        for number in stride(from: worker, to: devices, by: workers) {
                            _ = try await stage.store.reports.sync(
                                segment.key(number), token: segment.updateToken(number),
                                reference: .id(id, type: nil), systemActivityID: nil, tenantID: tenant)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        guard try await stage.store.roster.reach(.update, in: record).holders == devices else {
            throw BenchmarkFailure("not all devices are synced")
        }
        figures.add("sync_devices_per_second", Double(devices) / time * 1000, digits: 0)
    }

    private func fresh(_ record: ActivityRecord) async throws -> ActivityRecord {
        guard let fresh = try await stage.store.activities.activity(record.activity.id) else {
            throw BenchmarkFailure("the activity is gone")
        }
        return fresh
    }

    /// Takes and opens the order's jobs as a gateway does.
    private func take(_ order: BroadcastOrder) async throws -> [JobTicket] {
        var jobs: [JobTicket] = []
        while true {
            let more = try await withCheckedContinuation { continuation in
                stage.reactor.execute {
                    stage.store.jobs.takeJobs(
                        shard: StoredJobs.shard(of: order.activity.id), as: gateway,
                        JobCapacity(small: 99, first: 99, updates: 99), silence: .seconds(3600)
                    ) { continuation.resume(returning: $0.map(\.jobs)) }
                }
            }.get()
            guard !more.isEmpty else { return jobs }
            for job in more { _ = try await stage.store.jobs.open(job, order, owner: FinishWalk.owner) }
            jobs += more
        }
    }
}

/// An error that makes the figures invalid.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
