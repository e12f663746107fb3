public import Delivery
public import LiveActivity
import RosterCore
public import TimeCore

/// A part of a broadcast that one gateway works on at a time. It is an entry of a stream with a consumer group.
public struct JobTicket: Hashable, Sendable {
    /// The shard of the job, from 0 to `jobShards` - 1. Its activity decides the shard.
    public let shard: Int
    /// The queue of the shard.
    public let lane: JobLane
    /// The entry's id in its stream.
    let entry: String
    /// The broadcast that it is a part of.
    public let broadcastID: UniqueID
    /// The activity that the broadcast is about.
    public let activityID: UniqueID
    /// The part of the broadcast.
    public let part: Part
    /// The gateway's hold of the only job of a broadcast that it has recorded. Nil for a job with an entry in a stream.
    let hold: String?

    /// True for a job that no stream has. `entry` then distinguishes its holds.
    public var isHeld: Bool { hold != nil }

    /// A partition, a channel, one kind of route of a target list, or one device.
    public enum Part: Hashable, Sendable, CustomStringConvertible {
        case partition(Int)
        /// The devices of a target list with one kind of route.
        case list(RouteKind)
        /// All devices with one kind of route, by one push to the channel that they follow. The job reads no page.
        case channel(RouteKind)
        /// A second push to a channel, after a start that was under way when the update was recorded. It is for devices
        /// that have followed the channel only after the first push.
        case channelAfterStart(RouteKind)
        /// One device, which has missed an end or update.
        case slot(UInt32)

        /// True for one push to one device, with no page, turn or record of its own.
        public var isSingle: Bool {
            switch self {
            case .partition, .list, .channel, .channelAfterStart: false
            case .slot: true
            }
        }

        /// The kind of route over which its devices are reached.
        public var routeKind: RouteKind {
            switch self {
            case .partition(let number): RosterGeometry.kind(ofPartition: number)
            case .list(let kind), .channel(let kind), .channelAfterStart(let kind): kind
            case .slot(let slot): RosterGeometry.kind(ofSlot: slot)
            }
        }

        /// The kind of route whose channel it goes to; nil when it goes to devices.
        public var channelKind: RouteKind? {
            switch self {
            case .channel(let kind), .channelAfterStart(let kind): kind
            case .partition, .list, .slot: nil
            }
        }

        /// The spelling of scripts and streams.
        public var description: String {
            switch self {
            case .partition(let number): "\(number)"
            case .list(.apns): "*"
            case .list(let kind): "*\(kind.rawValue)"
            case .channel(let kind): "=\(kind.rawValue)"
            case .channelAfterStart(let kind): "+\(kind.rawValue)"
            case .slot(let slot): "s\(slot)"
            }
        }

        init?(_ text: String) {
            if text == "*" {
                self = .list(.apns)
            } else if text.hasPrefix("*"), let kind = UInt8(text.dropFirst()) {
                self = .list(RouteKind(rawValue: kind))
            } else if text.hasPrefix("="), let kind = UInt8(text.dropFirst()) {
                self = .channel(RouteKind(rawValue: kind))
            } else if text.hasPrefix("+"), let kind = UInt8(text.dropFirst()) {
                self = .channelAfterStart(RouteKind(rawValue: kind))
            } else if text.hasPrefix("s"), let slot = UInt32(text.dropFirst()) {
                self = .slot(slot)
            } else if let number = Int(text), number >= 0 {
                self = .partition(number)
            } else {
                return nil
            }
        }
    }

    /// The partition that the job is limited to, if it is.
    public var partition: Int? {
        if case .partition(let number) = part { number } else { nil }
    }

    /// The time at which the job was recorded, by Redis's clock.
    public var recordedAt: WallTime {
        WallTime(milliseconds: entry.split(separator: "-").first.flatMap { Int64($0) } ?? 0)
    }

    /// True if the job was recorded before another one of its stream.
    public func precedes(_ other: JobTicket) -> Bool {
        func place(_ job: JobTicket) -> [UInt64] { job.entry.split(separator: "-").map { UInt64($0) ?? 0 } }
        return place(self).lexicographicallyPrecedes(place(other))
    }

    var stream: String { Keys.jobs(shard, lane) }

    /// Its member among the held jobs of its shard.
    var member: String { UnfinishedBroadcast(activityID: activityID, id: broadcastID).member }

    /// - Parameter number: The number of the hold, which this gateway gives to no other one.
    init(
        held hold: String, number: Int, of broadcast: UniqueID, in activity: UniqueID, partition: Int, at time: WallTime
    ) {
        shard = Keys.shard(activity)
        lane = .small
        entry = "\(time.milliseconds)-\(number)"
        self.hold = hold
        broadcastID = broadcast
        activityID = activity
        part = .partition(partition)
    }

    init?(shard: Int, _ parts: ArraySlice<String>) {
        let parts = Array(parts)
        guard parts.count == 5, let lane = Int(parts[0]).flatMap(JobLane.init), let broadcast = UniqueID(parts[2]),
            let activity = UniqueID(parts[3]), let part = Part(parts[4])
        else { return nil }
        self.shard = shard
        self.lane = lane
        entry = parts[1]
        broadcastID = broadcast
        activityID = activity
        self.part = part
        hold = nil
    }
}

/// The state of a page, as the former hold of the job left it.
public enum PageProgress: UInt8, Sendable {
    /// Some of its devices may have no outcome.
    case open = 0x30
    case done = 0x32
    /// The page was done, but some of its devices have no outcome. The counts of the page are complete.
    case openAgain = 0x33
}

/// The spelling of scripts.
extension PageProgress: CustomStringConvertible {
    public var description: String { String(UnicodeScalar(rawValue)) }
}

/// The open pages of an update or end that an earlier hold may have sent in part.
/// The outcome of their pushes is unknown.
/// Pages are read in their turn, so these are the first of the open ones.
public enum PageDoubt: Int, Comparable, Sendable {
    /// No hold has sent anything, or the last one gave the job back with no page open.
    case nothing
    /// The usual number of open pages. A lost hold that recorded nothing leaves this number.
    case usual
    /// All open pages.
    case all

    public static func < (one: PageDoubt, other: PageDoubt) -> Bool { one.rawValue < other.rawValue }
}

/// The progress of a job, page by page.
public struct JobProgress: Sendable {
    private var pages: [Int: [UInt8]] = [:]
    private var turns: [Int: PageTurn] = [:]
    /// A newer broadcast has taken over: nothing is to be sent, but all that is left has to be counted.
    public internal(set) var isSuperseded = false
    /// The reason why no more pushes are sent.
    public internal(set) var stopReason: String?
    /// True if no more pushes are sent.
    public var isStopped: Bool { isSuperseded || stopReason != nil }
    /// True if the record says that the broadcast is paused.
    public internal(set) var isPaused = false

    /// Nothing has been done.
    public init() {}

    /// The states of a partition without an open page.
    static let allDone = [UInt8](repeating: PageProgress.done.rawValue, count: RosterGeometry.pagesPerPartition)

    /// True if a hold has worked on the job before.
    public internal(set) var isTouched = false
    /// The open pages in doubt; only of an update or end.
    public internal(set) var doubt = PageDoubt.nothing

    mutating func set(_ partition: Int, _ states: [UInt8]) {
        pages[partition] = states
    }

    mutating func setTurns(_ partition: Int, _ bytes: [UInt8]) {
        for index in 0..<(bytes.count / PageTurn.length) {
            let turn = PageTurn(bytes[(index * PageTurn.length)...])
            turns[partition * RosterGeometry.pagesPerPartition + index] = turn
        }
    }

    /// The pages in the order in which they are sent: those first that have waited for the longest time.
    public func inTurn(_ pages: [Int]) -> [Int] {
        PageTurn.sorted(pages) { turns[$0] }
    }

    /// The index in a page at which it begins: where the last update stopped.
    public func firstIndex(ofPage page: Int) -> Int { turns[page]?.firstIndex ?? 0 }

    /// Nil when no update has come to the page.
    public func turn(ofPage page: Int) -> PageTurn? { turns[page] }

    /// The state of a page; `open` if nothing is recorded.
    public func state(ofPage page: Int) -> PageProgress {
        let states = pages[RosterGeometry.partition(ofPage: page)] ?? []
        let index = page % RosterGeometry.pagesPerPartition
        return index < states.count ? PageProgress(rawValue: states[index]) ?? .open : .open
    }
}
