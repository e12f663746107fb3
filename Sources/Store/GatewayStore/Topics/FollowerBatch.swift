import Delivery
import LiveActivity
import RosterCore
import TimeCore

/// Decides the work for a batch of followers. Pure: facts in, work and a draft of new places out.
struct FollowerBatch {
    /// A queued follower with the stored data.
    struct Follower {
        let insiderID: String
        let follows: Bool
        let source: EventSource
        let user: UserRecord?
        let places: [TopicPlaces.Place]
    }

    private let record: ActivityRecord
    private let followers: [Follower]
    /// For each follower, the devices whose phone shows the activity under another login.
    private let shown: [Set<UInt32>]
    /// True if any start is in progress.
    private let isStarting: Bool
    /// Places with an end in progress, or one that is not older than a start of now.
    private let ending: Set<UInt32>
    /// The time from which on a refusal is of the present content.
    private let refusedSince: WallTime
    private let now: WallTime
    private let emptyDraft: RosterDraft

    var work = FollowerWork()
    private(set) var draft: RosterDraft
    /// The followers without a place and without a device that can be started.
    private(set) var placeless: [String] = []

    init(
        record: ActivityRecord, served: Set<RouteKind>?, followers: [Follower], shown: [Set<UInt32>], isStarting: Bool,
        ending: Set<UInt32>, refusedSince: WallTime, now: WallTime
    ) {
        self.record = record
        self.followers = followers
        self.shown = shown
        self.isStarting = isStarting
        self.ending = ending
        self.refusedSince = refusedSince
        self.now = now
        emptyDraft = RosterDraft(served: served, follows: record.channelUse != nil, waits: false)
        draft = emptyDraft
    }

    /// The pause after which a follower is read again whose phone shows the Live Activity under another login.
    private static let shownPause = TimeInterval.seconds(30)

    /// The pause after which a follower is read again during a start that may concern the phone.
    private static let startPause = TimeInterval.seconds(5)

    /// The pause after which a follower with an end in progress is read again.
    private static let endPause = TimeInterval.seconds(1)

    /// The indexes of followers who have lost a Live Activity. They count as started again only if a start is possible
    /// now.
    var lost: [Int] {
        followers.indices.filter { index in
            let places = followers[index].places
            guard followers[index].follows, places.contains(where: FollowerBatch.mayStartAgain) else { return false }
            var probe = emptyDraft
            add(index, to: &probe, keeping: places.filter { isKept($0) || $0.contentRefusedAt != nil })
            return !probe.entries.isEmpty
        }
    }

    private static func mayStartAgain(_ place: TopicPlaces.Place) -> Bool {
        place.isLost && place.contentRefusedAt == nil
    }

    /// True if the device keeps its place. Another start with the content that was refused would be refused too.
    private func isKept(_ place: TopicPlaces.Place) -> Bool {
        place.isKept || place.contentRefusedAt.map { $0 >= refusedSince } ?? false
    }

    /// Adds a follower's devices that have no place to keep.
    private func add(_ index: Int, to draft: inout RosterDraft, keeping places: [TopicPlaces.Place]) {
        let (follower, slots) = (followers[index], Set(places.map(\.slot)))
        draft.add(
            follower.insiderID, follower.user, type: record.activity.type, joining: record, shown: shown[index]
        ) { slots.contains($0) }
    }

    /// - Parameter restartedAt: For followers with the most starts of an hour, the time of their next start.
    mutating func decide(restartedAt: [Int: WallTime]) {
        for index in followers.indices {
            let follower = followers[index]
            if !follower.follows {
                work.ends += follower.places.filter(\.isLive).map(\.slot)
            } else if follower.places.contains(where: { ending.contains($0.slot) }) {
                // An end in progress comes first, so that the next start is newer.
                work.later.append((follower.insiderID, now + FollowerBatch.endPause))
            } else {
                decide(index, restartedAt: restartedAt[index])
            }
        }
    }

    private mutating func decide(_ index: Int, restartedAt: WallTime?) {
        let (insiderID, places) = (followers[index].insiderID, followers[index].places)
        // The start may have passed the place before its phone came back.
        if places.contains(where: \.isBeingStarted) { work.later.append((insiderID, now + FollowerBatch.startPause)) }
        if let time = places.compactMap(\.lostAt).min() { work.later.append((insiderID, time)) }
        var kept = places.filter(isKept)
        if kept.contains(where: { !$0.isKept }) { work.hasRefusedContent = true }
        if let restartedAt {
            // Lost Live Activities wait. Another device of the user may never have had one.
            work.later.append((insiderID, restartedAt))
            kept += places.filter(FollowerBatch.mayStartAgain)
        }
        let first = draft.entries.count
        add(index, to: &draft, keeping: kept)
        if !shown[index].isEmpty {
            // The other login's Live Activity may end or be lost.
            work.later.append((insiderID, now + (isStarting ? FollowerBatch.startPause : FollowerBatch.shownPause)))
        } else if draft.entries.count == first, kept.isEmpty {
            placeless.append(insiderID)
        }
    }
}
