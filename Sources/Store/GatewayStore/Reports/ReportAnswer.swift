public import LiveActivity

/// The result of a device's report.
public struct ReportAnswer: Sendable {
    /// Small for most reports. Cases with a whole record are indirect.
    public enum Outcome: Sendable {
        /// The change is recorded.
        case changed
        /// The follow or unfollow request is recorded.
        case followed(TopicState)
        case noTopic
        /// The user follows the maximum number of topics.
        case tooManyTopics
        /// The sync of this activity is recorded, and nothing is to be sent.
        case synced(UniqueID)
        /// The end broadcast `by` must be sent to the device at once. `isOver` is true if the activity's time is up.
        indirect case ended(ActivityRecord, slot: UInt32, by: UniqueID, isOver: Bool)
        /// The sync is recorded, and the update must be sent to the device at once.
        indirect case behind(ActivityRecord, slot: UInt32, MissedUpdate)
        /// The sync is recorded, and the Live Activity must be ended at once.
        indirect case endedBefore(ActivityRecord, slot: UInt32, EndReason)
        // See `SyncOutcome`.
        case notFound
        case typeMismatch(registered: String)
        case notStarted
        indirect case ambiguous([ActivityCandidate])
        case failed(StoreError)
        /// The report waited too long, so it may be out of date.
        case late

        init(failure: StoreError) {
            self = failure == .tooOldReport ? .late : .failed(failure)
        }

        init(_ outcome: SyncOutcome) {
            switch outcome {
            case .notFound: self = .notFound
            case .typeMismatch(let registered): self = .typeMismatch(registered: registered)
            case .notStarted: self = .notStarted
            case .ambiguous(let candidates): self = .ambiguous(candidates)
            case .synced(let record, _, nil): self = .synced(record.activity.id)
            case .synced(let record, let slot, let lateEnd?):
                self = .ended(record, slot: slot, by: lateEnd, isOver: false)
            case .behind(let record, let slot, let update): self = .behind(record, slot: slot, update)
            case .endedBefore(let record, let slot, let reason): self = .endedBefore(record, slot: slot, reason)
            case .over(_, _, nil): self = .notFound
            case .over(let record, let slot, let lateEnd?):
                self = .ended(record, slot: slot, by: lateEnd, isOver: true)
            }
        }
    }

    /// The ticket of the report.
    public let ticket: Int
    /// The outcome, with pushes to be sent to the device.
    public let outcome: Outcome
}
