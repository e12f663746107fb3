import Broadcasts
import GatewayStore
import LineLog
import Logging

/// What all reports of a gateway share.
final class ReportContext: Sendable {
    let store: GatewayStore
    let jobs: JobWorker
    let settings: APISettings
    /// Where each report has a line at level debug.
    let log: LineLogger
    let isStopping: @Sendable () -> Bool

    let shares: GatewayShares
    /// What answers some updates in front of the router.
    let updates: DirectUpdates?

    init(
        store: GatewayStore, jobs: JobWorker, settings: APISettings, shares: GatewayShares,
        updates: DirectUpdates?, logger: Logger,
        isStopping: @escaping @Sendable () -> Bool
    ) {
        log = LineLogger(logger)
        self.store = store
        self.jobs = jobs
        self.settings = settings
        self.shares = shares
        self.updates = updates
        self.isStopping = isStopping
    }
}
