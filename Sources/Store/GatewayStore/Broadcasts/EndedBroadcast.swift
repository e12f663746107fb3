import Delivery
import LiveActivity
import RedisClient
import TimeCore

/// The short form of an ended broadcast without its content: parts separated by blanks, without empty ones at the end.
/// Written by `ended-broadcasts.lua`, and by the gateway of an update that was sent at once.
///
/// The parts, with times in milliseconds after the record's:
///
/// 1. The first letters of kind and state, and the time of the record. With a sign, it counts from the activity's time.
/// 2. The time at which it began, empty if it never did. If known, `+`, the first push after that, `+`, and the last
///    push after the first one.
/// 3. The time at which it ended.
/// 4. The seconds by which its timestamp was ahead of the record's time.
/// 5. The updates of the hour.
/// 6. The accepted pushes.
/// 7. The skipped devices.
/// 8. The cohorts.
/// 9. The flags: `e` (its events are recorded), `w` (tokens of another environment), `d` (caused by a device), and the
///    number of an end's reason.
/// 10. The channels that devices follow from a start on.
/// 11. The failed pushes by their reason, which may contain blanks.
///
/// A part of 0 is empty, except for times.
struct EndedBroadcast {
    let kind: PushEvent
    let state: BroadcastState
    let createdAt: WallTime
    let startedAt: WallTime?
    let pushes: PushTimes?
    let finishedAt: WallTime?
    let updatesThisHour: Int
    let counts: BroadcastCounts
    let recordsEvents: Bool
    let hasWrongEnvironment: Bool
    let source: EventSource
    let endReason: EndReason
    let follows: Channels

    private static let parts = 11

    /// - Parameter madeAt: The time at which the activity was created.
    init?(_ bytes: [UInt8], madeAt: WallTime) {
        let parts = String(decoding: bytes, as: UTF8.self)
            .split(separator: " ", maxSplits: EndedBroadcast.parts - 1, omittingEmptySubsequences: false)
            .map(String.init)
        func part(_ place: Int) -> String? { place < parts.count && !parts[place].isEmpty ? parts[place] : nil }
        guard let head = part(0), let written = Int64(head.dropFirst(2)),
            let kind = [PushEvent.start, .update, .end].first(where: { $0.rawValue.first == head.first }),
            let state = EndedBroadcast.state(bytes)
        else { return nil }
        (self.kind, self.state) = (kind, state)
        let hasSign = head.dropFirst(2).first == "+" || head.dropFirst(2).first == "-"
        let created = hasSign ? madeAt.milliseconds + written : written
        createdAt = WallTime(milliseconds: created)
        func time(_ place: Int) -> WallTime? {
            part(place).flatMap { Int64($0) }.map { WallTime(milliseconds: created + $0) }
        }
        let begun = (part(1) ?? "").split(separator: "+").map { Int64($0) }
        startedAt = begun.first.flatMap { $0 }.map { WallTime(milliseconds: created + $0) }
        if begun.count == 3, let start = begun[0], let first = begun[1], let last = begun[2] {
            let first = WallTime(milliseconds: created + start + first)
            pushes = PushTimes(first: first, last: WallTime(milliseconds: first.milliseconds + last))
        } else {
            pushes = nil
        }
        finishedAt = time(2)
        updatesThisHour = part(4).flatMap { Int($0) } ?? 0
        counts = BroadcastCounts(accepted: part(5), failed: part(10), skipped: part(6), cohorts: part(7))
        let flags = part(8) ?? ""
        recordsEvents = flags.contains("e")
        hasWrongEnvironment = flags.contains("w")
        source = flags.contains("d") ? .device : .customer
        endReason = UInt8(flags.filter(\.isNumber)).flatMap(EndReason.init) ?? .endedByAPI
        follows = Channels(part(9))
    }
}

extension EndedBroadcast {
    /// The state without the other parts.
    static func state(_ bytes: [UInt8]) -> BroadcastState? {
        let letter = bytes.dropFirst().first
        return [BroadcastState.done, .superseded, .failed].first { $0.rawValue.utf8.first == letter }
    }

    /// The commands that read the short form from both of its possible places.
    static func reads(_ id: UniqueID, in activity: UniqueID) -> [RedisCommand] {
        [
            RedisCommand("HGET", Keys.activity(activity), String(id.description.suffix(12))),
            RedisCommand("HGET", Keys.endedBroadcasts(activity), id.bytes),
        ]
    }

    /// Reads the replies to `reads`; nil if there is no short form.
    init?(_ replies: some Sequence<RedisValue>, madeAt: WallTime) {
        guard let bytes = replies.lazy.compactMap(\.bytes).first else { return nil }
        self.init(bytes, madeAt: madeAt)
    }
}
