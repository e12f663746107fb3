import Broadcasts
import GatewayStore
import Logging
import Synchronization

/// What all reports of a gateway share.
final class ReportContext: Sendable {
    let store: GatewayStore
    let jobs: JobWorker
    let settings: APISettings
    let logger: Logger
    let isStopping: @Sendable () -> Bool

    private let underWay = Atomic(0)

    init(
        store: GatewayStore, jobs: JobWorker, settings: APISettings, logger: Logger,
        isStopping: @escaping @Sendable () -> Bool
    ) {
        self.logger = logger
        self.store = store
        self.jobs = jobs
        self.settings = settings
        self.isStopping = isStopping
    }

    /// Takes one of the places for reports in the store's hands; false when there is none left.
    func enter() -> Bool {
        guard underWay.add(1, ordering: .relaxed).newValue > settings.maximumReports else { return true }
        leave()
        return false
    }

    /// Reports in the store's hands.
    var count: Int { max(0, underWay.load(ordering: .relaxed)) }

    func leave() {
        underWay.subtract(1, ordering: .relaxed)
    }
}
