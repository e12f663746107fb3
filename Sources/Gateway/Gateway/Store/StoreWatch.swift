import GatewayAPI
import GatewayStore
import Logging
import Reactor
import RedisClient
import TimeCore

/// Watches Redis while the gateway runs. Reads the time, the layout and missing rights, and once a minute all facts
/// that the promises depend on. Reports findings to the log, the readiness board and the metrics.
final class StoreWatch: Sendable {
    private let store: GatewayStore
    private let clients: [RedisClient]
    /// Nil when the gateway was given a clock.
    private let clock: StoreClock?
    private let settings: StoreSurveillance
    private let logger: Logger
    private let latest = Locked<[StoreCheck]>([])
    private let memory = Locked<(used: Int64, most: Int64)?>(nil)
    /// The number of tenants when the store was last asked; nil before the first time.
    private let tenants = Locked<Int?>(nil)
    /// The error of an unsupported layout; nil if the layout is supported.
    private let unsupportedLayout = Locked<String?>(nil)
    private let nudges: AsyncStream<Void>
    private let nudge: AsyncStream<Void>.Continuation
    private let tasks = Locked<[Task<Void, Never>]>([])

    init(
        store: GatewayStore, clients: [RedisClient], clock: StoreClock?, settings: StoreSurveillance, logger: Logger
    ) {
        self.store = store
        self.clients = clients
        self.clock = clock
        self.settings = settings
        self.logger = logger
        (nudges, nudge) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The newest results of the checks; empty before the first ones.
    var checks: [StoreCheck] { latest.withLock { $0 } }

    /// The memory of Redis in bytes, used and permitted, by its newest reply; nil if unknown.
    var memoryUse: (used: Int64, most: Int64)? { memory.withLock { $0 } }

    /// The number of tenants when the store was last asked; nil before the first time.
    var tenantCount: Int? { tenants.withLock { $0 } }

    /// The number of broadcasts that were found vanished.
    var vanishedBroadcasts: Int { store.jobs.vanishedBroadcasts }

    /// The starts that waited for the append-only file.
    var commits: CommitCounts { store.commitCounts }

    /// Begins to look.
    /// - Parameter changes: when to look beyond the usual, for something may have changed.
    func start(onChange changes: AsyncStream<Void>) {
        let rounds = Task { [self] in
            var round = 0
            for await _ in nudges {
                await look(everything: round % settings.periodsForChecks == 0 || checks.isEmpty)
                round += 1
            }
        }
        let ticks = Task { [nudge, period = settings.period] in
            while !Task.isCancelled {
                nudge.yield()
                try? await Task.sleep(for: period.duration)
            }
        }
        let further = Task { [nudge] in
            for await _ in changes { nudge.yield() }
        }
        tasks.withLock { $0 += [rounds, ticks, further] }
    }

    func stop() {
        nudge.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    /// Looks until Redis has answered. Throws what it finds; gives up quietly when Redis is away.
    func confirm() async throws(EndangeredStoreError) {
        let end = MonotonicTime.now() + settings.startDeadline
        while checks.isEmpty, MonotonicTime.now() < end {
            await look(everything: true)
            if checks.isEmpty { try? await Task.sleep(for: .milliseconds(50)) }
        }
        let dangers = checks.filter(\.isDanger)
        guard dangers.isEmpty else {
            throw EndangeredStoreError(findings: dangers.map { ($0.name.rawValue, $0.text ?? "") })
        }
    }

    /// Checks the store's layout. Throws if this version does not support it. Ignores other errors of Redis.
    func settleLayout() async throws(StoreError) {
        do throws(StoreError) {
            try await store.layout.settle()
            unsupportedLayout.withLock { $0 = nil }
        } catch {
            guard case .unsupportedLayout = error else { return }
            let isNew = unsupportedLayout.withLock { text in
                defer { text = error.description }
                return text == nil
            }
            if isNew { logger.error("store layout not supported", metadata: ["reason": "\(error)"]) }
            throw error
        }
    }

    private func look(everything: Bool) async {
        if let clock, let step = await store.sample(clock), step.magnitude >= 1000 {
            logger.warning("Redis clock set", metadata: ["step_ms": .stringConvertible(step)])
        }
        try? await settleLayout()
        await countTenants()
        for client in clients {
            client.reactor.execute {
                client.checkRole()
                if client.missingRights != nil { client.checkRights() }
            }
        }
        func wasDanger(_ name: StoreCheck.Name) -> Bool { checks.first { $0.name == name }?.isDanger ?? false }
        let hasChanged =
            (clock?.state == .skewed) != wasDanger(.clock) || (store.redis.missingRights != nil) != wasDanger(.rights)
        guard everything || hasChanged, var facts = await store.facts() else { return }
        facts.clockSkew = clock?.skew
        facts.maximumClockSkew = settings.maximumClockSkew
        memory.withLock { [use = facts.memoryUse] in $0 = use }
        publish(facts.checks)
        for client in clients { client.reactor.execute { client.checkRights() } }
        await lookForVanished()
    }

    /// Gateways of an emptied Redis are well and know no key, so the number of tenants is all that shows it.
    private func countTenants() async {
        guard let count = try? await store.tenants.count() else { return }
        let before = tenants.withLock { tenants in
            defer { tenants = count }
            return tenants
        }
        guard count == 0, let before, before > 0 else { return }
        logger.error(
            "all tenants missing, Redis emptied or replaced",
            metadata: ["tenants": .stringConvertible(before)])
    }

    private func lookForVanished() async {
        guard let vanished = try? await store.jobs.forgetVanished(), !vanished.isEmpty else { return }
        for broadcast in vanished {
            logger.error(
                "unfinished broadcast missing in Redis",
                metadata: ["broadcast_id": "\(broadcast.id)", "activity_id": "\(broadcast.activityID)"])
        }
    }

    private func publish(_ found: [StoreCheck]) {
        let before = latest.withLock { value in
            defer { value = found }
            return value
        }
        for check in found where before.first(where: { $0.name == check.name })?.text != check.text {
            let name: Logger.Metadata = ["check": "\(check.name.rawValue)"]
            switch check.finding {
            case .danger(let text, let remedy):
                logger.error(
                    "Redis check failed", metadata: name.merging(["reason": "\(text)", "remedy": "\(remedy)"]) { $1 })
            case .warning(let text, let remedy):
                logger.warning(
                    "Redis check failed", metadata: name.merging(["reason": "\(text)", "remedy": "\(remedy)"]) { $1 })
            case .good, .unknown:
                if !before.isEmpty { logger.notice("Redis check passed", metadata: name) }
            }
        }
    }

    /// The reasons for the readiness board. Missing rights are reported at once, and always block.
    var reasons: [ReadinessReason] {
        let missing = clients.lazy.compactMap(\.missingRights).first
        var reasons: [ReadinessReason] = []
        if let missing {
            reasons.append(
                ReadinessReason(
                    "redis_rights",
                    "the gateway's Redis user lacks the rights for \(missing.commands.joined(separator: ", ")); \(missing.remedy)",
                    isBlocking: true))
        }
        if let text = unsupportedLayout.withLock({ $0 }) {
            reasons.append(ReadinessReason("redis_layout", text, isBlocking: true))
        }
        for check in checks where check.name != .rights {
            guard let text = check.text else { continue }
            reasons.append(
                ReadinessReason(
                    "redis_\(check.name.rawValue)", text, isBlocking: settings.rule == .strict && check.isDanger))
        }
        return reasons
    }
}
