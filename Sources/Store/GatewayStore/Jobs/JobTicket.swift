public import Delivery
public import LiveActivity
public import TimeCore

/// A part of a broadcast that one gateway works on at a time: a partition, a channel, or what a target list has of one
/// kind of route. An entry of a stream, taken in a consumer group.
public struct JobTicket: Hashable, Sendable {
    /// Which of the `jobShards` the job is in, from 0 on; its activity decides.
    public let shard: Int
    /// Which of the shard's queues it is in.
    public let lane: JobLane
    /// The entry's id in its stream.
    let entry: String
    /// The broadcast that it is a part of.
    public let broadcastID: UniqueID
    /// The activity that the broadcast is about.
    public let activityID: UniqueID
    /// Which part of the broadcast it is.
    public let part: Part
    /// Whether it is the one job of a broadcast that this gateway sends at once: no queue has it, and `entry` tells its
    /// holds apart.
    public let isDirect: Bool

    /// What of the broadcast the job is.
    public enum Part: Hashable, Sendable, CustomStringConvertible {
        case partition(Int)
        /// Those of a target list who are reached over one kind of route.
        case list(RouteKind)
        /// All who are reached over one kind of route, by the one push to the channel that they follow: no page is
        /// read.
        case channel(RouteKind)
        /// The same once more, of an update that was recorded while a start was under way: when that is over, for those
        /// who have begun to follow the channel behind the first push.
        case channelAfterStart(RouteKind)
        /// An end goes to one device, which has reported its token only after it.
        case lateEnd(slot: UInt32)
        /// An update goes to one device, which has missed it.
        case catchUp(slot: UInt32)

        /// Whether it is one push to one device, with no page, turn or record of its own.
        public var isSingle: Bool {
            switch self {
            case .partition, .list, .channel, .channelAfterStart: false
            case .lateEnd, .catchUp: true
            }
        }

        /// The kind of route over which its devices are reached.
        public var routeKind: RouteKind {
            switch self {
            case .partition(let number): RosterGeometry.kind(ofPartition: number)
            case .list(let kind), .channel(let kind), .channelAfterStart(let kind): kind
            case .lateEnd(let slot), .catchUp(let slot): RosterGeometry.kind(ofSlot: slot)
            }
        }

        /// The kind of route whose channel it goes to; nil when it goes to devices.
        public var channelKind: RouteKind? {
            switch self {
            case .channel(let kind), .channelAfterStart(let kind): kind
            case .partition, .list, .lateEnd, .catchUp: nil
            }
        }

        /// As scripts and streams spell it.
        public var description: String {
            switch self {
            case .partition(let number): "\(number)"
            case .list(.apns): "*"
            case .list(let kind): "*\(kind.rawValue)"
            case .channel(let kind): "=\(kind.rawValue)"
            case .channelAfterStart(let kind): "+\(kind.rawValue)"
            case .lateEnd(let slot): "s\(slot)"
            case .catchUp(let slot): "c\(slot)"
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
                self = .lateEnd(slot: slot)
            } else if text.hasPrefix("c"), let slot = UInt32(text.dropFirst()) {
                self = .catchUp(slot: slot)
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

    /// When the job was recorded, by Redis's clock.
    public var recordedAt: WallTime {
        WallTime(milliseconds: entry.split(separator: "-").first.flatMap { Int64($0) } ?? 0)
    }

    /// Whether the job was recorded before another one of its stream.
    public func precedes(_ other: JobTicket) -> Bool {
        func place(_ job: JobTicket) -> [UInt64] { job.entry.split(separator: "-").map { UInt64($0) ?? 0 } }
        return place(self).lexicographicallyPrecedes(place(other))
    }

    var stream: String { Keys.jobs(shard, lane) }

    /// The job of a broadcast that is sent at once.
    /// - Parameter hold: a number that this gateway gives to no other one.
    init(directly broadcast: UniqueID, in activity: UniqueID, partition: Int, hold: Int, at time: WallTime) {
        shard = Keys.shard(activity)
        lane = .small
        entry = "\(time.milliseconds)-\(hold)"
        broadcastID = broadcast
        activityID = activity
        part = .partition(partition)
        isDirect = true
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
        isDirect = false
    }
}

/// What is to be done about a page, as the one who worked on it before left it.
public enum PageProgress: UInt8, Sendable {
    /// Some of its devices may have no outcome.
    case open = 0x30
    case done = 0x32
    /// It was done, and some of its devices have turned out to have no outcome. What is counted with the page has been.
    case openAgain = 0x33
}

/// As scripts spell it.
extension PageProgress: CustomStringConvertible {
    public var description: String { String(UnicodeScalar(rawValue)) }

    /// What earlier versions wrote for a page that was about to be sent.
    static let formerlyBegun = "1"
}

/// The open pages of an update or end that an earlier hold may have sent in part.
/// The outcome of their pushes is unknown.
/// Pages are read in their turn, so these are the first of the open ones.
public enum PageDoubt: Int, Comparable, Sendable {
    /// No hold has sent anything, or the last one gave the job back with no page open.
    case nothing
    /// The usual number of open pages. A lost hold that recorded nothing leaves so many.
    case usual
    /// All open pages.
    case all

    public static func < (one: PageDoubt, other: PageDoubt) -> Bool { one.rawValue < other.rawValue }
}

/// How far a job is, page by page.
public struct JobProgress: Sendable {
    private var pages: [Int: [UInt8]] = [:]
    private var turns: [Int: PageTurn] = [:]
    /// A newer broadcast has taken over: nothing is to be sent, but all that is left has to be counted.
    public internal(set) var isSuperseded = false
    /// Why nothing is to be sent any more.
    public internal(set) var stopReason: String?
    /// Whether nothing is to be sent any more.
    public var isStopped: Bool { isSuperseded || stopReason != nil }
    /// Whether the record says that the broadcast is paused.
    public internal(set) var isPaused = false

    /// Nothing has been done.
    public init() {}

    /// The states of a partition without an open page.
    static let allDone = [UInt8](repeating: PageProgress.done.rawValue, count: RosterGeometry.pagesPerPartition)

    /// Whether anybody has worked on it before.
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

    /// What is to be done about a page; `open` when nothing is known of it.
    public func state(ofPage page: Int) -> PageProgress {
        let states = pages[RosterGeometry.partition(ofPage: page)] ?? []
        let index = page % RosterGeometry.pagesPerPartition
        return index < states.count ? PageProgress(rawValue: states[index]) ?? .open : .open
    }
}
