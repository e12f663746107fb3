public import LiveActivity
import RosterCore
public import TimeCore

/// An activity, dead or alive, with its state at the time of reading.
public struct ActivityStatus: Sendable {
    /// The stored record. Its state may lag behind `state`.
    public let record: ActivityRecord
    /// The state at the time of reading. An activity past its `endsAt` is dead even before a gateway has ended it.
    public let state: Activity.State
    /// The time of the end; nil while the activity lives.
    public let endedAt: WallTime?
    /// The reason of the end; nil while the activity lives.
    public let endReason: EndReason?
    /// The number of updates since the beginning of the present hour (UTC).
    public let updatesThisHour: Int
    /// The number of taps on a Live Activity that devices have reported.
    public let taps: Int
    /// True if devices that report later receive the newest update.
    public let wantsCatchUp: Bool

    /// The number of newest broadcasts that an activity keeps.
    public static let recentBroadcasts = 10
    /// The time for which a dead activity can be read.
    public static let timeAfterEnd = TimeInterval.seconds(86_400)

    private static let hour: Int64 = 3_600_000

    /// Returns nil if the activity does not exist, or has been dead for `timeAfterEnd`.
    init?(_ id: UniqueID, _ fields: [RedisField], now: WallTime) {
        guard let record = ActivityRecord(id, fields) else { return nil }
        var values: [String: String] = [:]
        for (name, value) in fields {
            values[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
        self.record = record
        let endsAt = record.activity.endsAt
        if record.activity.state == .dead {
            state = .dead
            endedAt = values["ended_at"].flatMap { Int64($0) }.map(WallTime.init(milliseconds:)) ?? endsAt
            // A cancelled activity was ended by the API as well.
            endReason = values["end_reason"].flatMap { UInt8($0) }.flatMap(EndReason.init) ?? .endedByAPI
        } else if now >= endsAt {
            state = .dead
            endedAt = endsAt
            endReason = .expired
        } else {
            state = record.activity.state
            endedAt = nil
            endReason = nil
        }
        if let endedAt, now >= endedAt + ActivityStatus.timeAfterEnd { return nil }
        let isThisHour = values["hour"].flatMap { Int64($0) } == now.milliseconds / ActivityStatus.hour
        updatesThisHour = isThisHour ? values["hour_updates"].flatMap { Int($0) } ?? 0 : 0
        taps = values["taps"].flatMap { Int($0) } ?? 0
        wantsCatchUp = values["catch_up"] == "1"
    }
}

/// The numbers of a segment's devices by state.
public struct DeviceStateCounts: Equatable, Sendable {
    private(set) var byState: [DeviceState: Int] = [:]
    /// The devices in the state `ended`, by the reason of the end.
    public private(set) var ended: [EndReason: Int] = [:]

    public init() {}

    /// The number of devices in a state.
    public subscript(state: DeviceState) -> Int { byState[state] ?? 0 }

    /// All devices of the segment.
    public var total: Int { byState.values.reduce(0, +) }

    /// Adds a count of `Scripts.countStates` under its key.
    /// - Parameter channelEnd: The end reason of a dead activity whose devices a channel reaches; otherwise nil.
    mutating func add(key: Int, _ count: Int, isStartOver: Bool, channelEnd: EndReason? = nil) {
        guard let status = UInt8(exactly: key & 0xFF) else { return }
        guard let token = UpdateTokenState(rawValue: key & ~0xFF),
            let state = DeviceState(
                status: status, token: token, isStartOver: isStartOver, isEndedByChannel: channelEnd != nil)
        else { return }
        byState[state, default: 0] += count
        if state == .ended {
            ended[DeliveryStatus.endReason(status) ?? channelEnd ?? .tokenInvalid, default: 0] += count
        }
    }

    /// Adds the counts of other pages.
    public mutating func add(_ other: DeviceStateCounts) {
        byState.merge(other.byState, uniquingKeysWith: +)
        ended.merge(other.ended, uniquingKeysWith: +)
    }
}
