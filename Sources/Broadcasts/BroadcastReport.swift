public import BroadcastCore
public import GatewayStore
public import LiveActivity

/// Where a broadcast stands, for whoever asked for it.
public struct BroadcastReport: Sendable {
    public let id: UniqueID
    public internal(set) var state: BroadcastState
    public internal(set) var tally: BroadcastTally
    /// Devices that were passed over, those that a newer broadcast took over included.
    public internal(set) var skipped: SkipCounts
    /// Whether every device has its outcome.
    public var isFinished: Bool { state != .queued && state != .running }
}
