import GatewayStore
import LiveActivity
import TimeCore

/// A broadcast whose job this gateway holds from the beginning, until its end is written.
final class HeldRun {
    let order: BroadcastOrder
    let record: ActivityRecord
    /// False if the activity was not read for this broadcast, which may then have no device.
    let isChecked: Bool
    let startedAt: WallTime
    let pageLength: Int
    var outcome: PageOutcome?
    private var completion: (@Sendable (JobWorker.HeldResult) -> Void)?

    init(
        _ begun: HeldBeginning, of record: ActivityRecord, isChecked: Bool, startedAt: WallTime,
        completion: @escaping @Sendable (JobWorker.HeldResult) -> Void
    ) {
        order = begun.order
        pageLength = begun.pageLength
        self.record = record
        self.isChecked = isChecked
        self.startedAt = startedAt
        self.completion = completion
    }

    /// True until the caller has an answer.
    var isAwaited: Bool { completion != nil }

    func answer(_ result: JobWorker.HeldResult) {
        completion?(result)
        completion = nil
    }
}
