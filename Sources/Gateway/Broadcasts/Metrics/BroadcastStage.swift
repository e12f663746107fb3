import GatewayStore
import TimeCore

/// A part of the time that a broadcast takes; the raw values are labels of metrics.
public enum BroadcastStage: String, CaseIterable, Sendable {
    /// From the record until its turn has come.
    case queued
    /// From then until the first push left.
    case preparing
    /// From the first push until the last one.
    case pushing
    /// From the last push until all is written down: answers that were waited for are in it.
    case recording

    var index: Int {
        switch self {
        case .queued: 0
        case .preparing: 1
        case .pushing: 2
        case .recording: 3
        }
    }

    /// When it began and ended in a broadcast; nil where that is not known.
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
