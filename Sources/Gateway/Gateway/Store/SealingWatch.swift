import GatewayAPI
import GatewayStore
import Logging
import Reactor
import TimeCore

/// Checks that the gateway's sealing key opens the secrets in Redis, at start and periodically. Another gateway may
/// have sealed them with a key that this one lacks. Reports failures in the log, with the key's file, and in the
/// readiness.
final class SealingWatch: Sendable {
    private let store: GatewayStore
    private let secrets: WebhookSecrets?
    private let key: SealingKeyName
    private let period: Duration
    private let logger: Logger
    private let latest = Locked(SealingFindings())
    private let looking = Locked<Task<Void, Never>?>(nil)

    /// The number of periods between two checks while all secrets can be opened. It is large because a check reads all
    /// tenants.
    private static let periodsBetweenLooks = 10

    /// - Parameter secrets: Nil for a gateway that delivers to no webhooks.
    init(
        store: GatewayStore, secrets: WebhookSecrets?, key: SealingKeyName, settings: StoreSurveillance, logger: Logger
    ) {
        self.store = store
        self.secrets = secrets
        self.key = key
        period = settings.period.duration * settings.periodsForChecks
        self.logger = logger
    }

    /// The reason for the readiness report, or nil.
    var reason: ReadinessReason? { latest.withLock { $0 }.reason(key) }

    /// Starts the checks. Returns after the first one, whether it succeeds or not, and after `patience` at the latest.
    /// Without this wait, a gateway with the wrong key would briefly report ready.
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

    /// Returns the pause before the next check. It is short until a check succeeds, because the gateway may be ready
    /// while the state of the key is unknown.
    /// - Parameters:
    ///   - hasLooked: True if any check has succeeded.
    ///   - isWell: True if the last check succeeded and all secrets opened.
    static func pause(_ period: Duration, hasLooked: Bool, isWell: Bool) -> Duration {
        guard hasLooked else { return min(period, .seconds(1)) }
        return period * (isWell ? periodsBetweenLooks : 1)
    }

    func stop() {
        looking.withLock { $0 }?.cancel()
    }

    /// Checks once. Returns false if Redis did not answer.
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
