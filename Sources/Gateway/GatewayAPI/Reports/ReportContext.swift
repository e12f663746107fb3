import Broadcasts
import GatewayStore
import LineLog
import Logging

/// The dependencies of all reports of a gateway.
final class ReportContext: Sendable {
    let store: GatewayStore
    let jobs: JobWorker
    let settings: APISettings
    /// The log, which gets a line at level debug for each report.
    let log: LineLogger
    let isStopping: @Sendable () -> Bool

    let shares: GatewayShares
    /// The service that answers some updates in front of the router.
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
