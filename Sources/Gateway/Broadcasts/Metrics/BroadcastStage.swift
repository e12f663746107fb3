import GatewayStore
import TimeCore

/// A part of a broadcast's duration. The raw values are metric labels.
public enum BroadcastStage: String, CaseIterable, Sendable {
    /// From the record to the first job's begin.
    case queued
    /// From the first job's begin to the first push.
    case preparing
    /// From the first push to the last one.
    case pushing
    /// From the last push to the final record, including the wait for answers.
    case recording

    var index: Int {
        switch self {
        case .queued: 0
        case .preparing: 1
        case .pushing: 2
        case .recording: 3
        }
    }

    /// Returns the begin and end of the stage; nil if either is unknown.
    func times(of record: BroadcastRecord) -> (WallTime, WallTime)? {
        let (from, to): (WallTime?, WallTime?) =
            switch self {
            case .queued: (record.createdAt, record.startedAt)
            case .preparing: (record.startedAt, record.pushes?.first)
            case .pushing: (record.pushes?.first, record.pushes?.last)
            case .recording: (record.pushes?.last, record.finishedAt)
            }
        guard let from, let to else { return nil }
        return (from, to)
    }
}
