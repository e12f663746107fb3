public import LiveActivity
import RosterCore
public import TimeCore

/// What there is to say of an activity, dead or alive.
public struct ActivityStatus: Sendable {
    /// The activity as it lies in the store: its state may lag behind `state`.
    public let record: ActivityRecord
    /// The state at the time of reading: an activity whose time is up is dead, also before the gateway has ended it.
    public let state: Activity.State
    /// Nil while it lives.
    public let endedAt: WallTime?
    /// Why it ended; nil while it lives.
    public let endReason: EndReason?
    /// Updates that were pushed since the beginning of the running hour (UTC).
    public let updatesThisHour: Int
    /// How often devices have reported a tap on a Live Activity.
    public let taps: Int
    /// Whether devices that report later are sent the newest update.
    public let wantsCatchUp: Bool

    /// How many broadcasts of an activity are remembered as its last.
    public static let recentBroadcasts = 10
    /// How long a dead activity can be read.
    public static let timeAfterEnd = TimeInterval.seconds(86_400)

    private static let hour: Int64 = 3_600_000

    /// Nil when there is no such activity, or it has been dead for too long to be told of.
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

/// How many devices of a segment are in which state.
public struct DeviceStateCounts: Equatable, Sendable {
    private(set) var byState: [DeviceState: Int] = [:]
    /// Those in the state `ended`, by why their Live Activity is gone.
    public private(set) var ended: [EndReason: Int] = [:]

    public init() {}

    /// How many devices are in a state.
    public subscript(state: DeviceState) -> Int { byState[state] ?? 0 }

    /// All devices of the segment.
    public var total: Int { byState.values.reduce(0, +) }

    /// Takes in what `Scripts.countStates` has counted under a key.
    /// - Parameter channelEnd: why Live Activities that a channel reaches are gone; nil when they are not.
    mutating func add(key: Int, _ count: Int, isStartOver: Bool, channelEnd: EndReason? = nil) {
        guard let status = UInt8(exactly: key & 0xFF) else { return }
        guard let token = UpdateTokenState.allCases.first(where: { $0.countKey == key & ~0xFF }),
            let state = DeviceState(
                status: status, token: token, isStartOver: isStartOver, isEndedByChannel: channelEnd != nil)
        else { return }
        byState[state, default: 0] += count
        if state == .ended {
            ended[DeliveryStatus.endReason(status) ?? channelEnd ?? .tokenInvalid, default: 0] += count
        }
    }

    /// Takes in what has been counted elsewhere.
    public mutating func add(_ other: DeviceStateCounts) {
        byState.merge(other.byState, uniquingKeysWith: +)
        ended.merge(other.ended, uniquingKeysWith: +)
    }
}
