import GatewayAPI
import GatewayStore
import Logging
import Reactor
import TimeCore

/// Looks whether the secrets in Redis open with the gateway's sealing key: at start, and then as long as it runs,
/// because they may be sealed anew with a key that this gateway was not given. Says so in the log, with the key's file,
/// and in the readiness.
final class SealingWatch: Sendable {
    private let store: GatewayStore
    private let secrets: WebhookSecrets?
    private let key: SealingKeyName
    private let period: Duration
    private let logger: Logger
    private let latest = Locked(SealingFindings())
    private let looking = Locked<Task<Void, Never>?>(nil)

    /// Reading all tenants is no question for every minute, unless something is amiss.
    private static let periodsBetweenLooks = 10

    /// - Parameter secrets: nil for a gateway that delivers to no webhooks.
    init(
        store: GatewayStore, secrets: WebhookSecrets?, key: SealingKeyName, settings: StoreSurveillance, logger: Logger
    ) {
        self.store = store
        self.secrets = secrets
        self.key = key
        period = .nanoseconds(Int64(clamping: settings.period.nanoseconds)) * settings.periodsForChecks
        self.logger = logger
    }

    /// For the readiness board.
    var reason: ReadinessReason? { latest.withLock { $0 }.reason(key) }

    /// Begins to look. Returns when the first look is done, or could not be, and at the latest after `patience`: so
    /// that a gateway with the wrong key is not ready for a moment first.
    func start(patience: Duration) async {
        let (first, isDone) = AsyncStream<Void>.makeStream()
        let task = Task { [self] in
            var isKnown = await look()
            var hasLooked = isKnown
            isDone.finish()
            while !Task.isCancelled {
                let isWell = isKnown && latest.withLock { $0.unreadable } == 0
                try? await Task.sleep(for: SealingWatch.pause(period, hasLooked: hasLooked, isWell: isWell))
                guard !Task.isCancelled else { break }
                isKnown = await look()
                hasLooked = hasLooked || isKnown
            }
        }
        looking.withLock { $0 = task }
        let end = Task {
            try? await Task.sleep(for: patience)
            isDone.finish()
        }
        for await _ in first {}
        end.cancel()
    }

    /// From one look to the next. Until one has succeeded nothing is known of the key, and the gateway may be ready all
    /// the same: Redis is asked again soon.
    /// - Parameters:
    ///   - hasLooked: whether one has succeeded ever.
    ///   - isWell: whether the last one has, and all that is sealed opens.
    static func pause(_ period: Duration, hasLooked: Bool, isWell: Bool) -> Duration {
        guard hasLooked else { return min(period, .seconds(1)) }
        return period * (isWell ? periodsBetweenLooks : 1)
    }

    func stop() {
        looking.withLock { $0 }?.cancel()
    }

    /// False when Redis has not answered.
    private func look() async -> Bool {
        do throws(StoreError) {
            var found = SealingFindings(identity: try await store.tenants.identitySealing())
            if let secrets { found.webhooks = try await store.webhooks.sealing(with: secrets) }
            publish(found)
            return true
        } catch {
            return false
        }
    }

    private func publish(_ found: SealingFindings) {
        let before = latest.withLock { value in
            defer { value = found }
            return value
        }
        guard found != before else { return }
        let file: Logger.Metadata = ["key": "\(key.file ?? "none")"]
        let remedy = file.merging(["remedy": "\(SealingFindings.remedy(key))"]) { $1 }
        if found.isForeign, !before.isForeign || before.unreadable != found.unreadable {
            return logger.error("sealing key wrong", metadata: remedy.merging(["reason": "\(found.text(key))"]) { $1 })
        }
        for tenant in found.identity.unreadable
        where !before.identity.unreadable.contains(where: { $0.id == tenant.id }) {
            logger.error(
                "identity secret cannot be decrypted",
                metadata: remedy.merging(["tenant": "\(tenant.id)"]) { $1 })
        }
        if found.webhooks.unreadable > before.webhooks.unreadable {
            logger.error(
                "webhook secrets cannot be decrypted",
                metadata: remedy.merging(["webhooks": .stringConvertible(found.webhooks.unreadable)]) { $1 })
        }
        if found.unreadable == 0, before.unreadable > 0 {
            logger.notice("all secrets can be decrypted again", metadata: file)
        }
    }
}
