public import LiveActivity

/// What a report came to.
public struct ReportAnswer: Sendable {
    /// Small for nearly every report: what needs a whole record lies elsewhere.
    public enum Outcome: Sendable {
        /// A change is noted.
        case changed
        /// A wish to follow a topic, or not to any more, is noted; where the topic stands.
        case followed(TopicState)
        /// There is no such topic.
        case noTopic
        /// The user follows as many topics as a user may.
        case tooManyTopics
        /// A sync is noted, for this activity.
        case synced(UniqueID)
        /// The broadcast named is to be sent to the device at once. The report itself is noted, or came when the
        /// activity's time was up.
        indirect case ended(ActivityRecord, slot: UInt32, by: UniqueID, isOver: Bool)
        /// A sync is noted, and the update is to be sent to the device at once.
        indirect case behind(ActivityRecord, slot: UInt32, MissedUpdate)
        /// A sync is noted, and the Live Activity is to be ended at once.
        indirect case endedBefore(ActivityRecord, slot: UInt32, EndReason)
        // See `SyncOutcome`.
        case notFound
        case typeMismatch(registered: String)
        case notStarted
        indirect case ambiguous([ActivityCandidate])
        case failed(StoreError)
        /// It has waited too long to be carried out: what it says may be true no more.
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

    /// That of the report.
    public let ticket: Int
    /// What it came to, and what is to be done for the device.
    public let outcome: Outcome
}
