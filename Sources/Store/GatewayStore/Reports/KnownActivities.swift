import LiveActivity
import Reactor
import RedisClient
import RosterCore
import TimeCore

/// The unchanging parts of a started activity and the prebuilt heads of commands, for storms of syncs. Confined to the
/// reactor.
final class KnownActivity {
    let record: ActivityRecord
    var id: UniqueID { record.activity.id }
    let keptUntil: Int64
    let catchesUp: Bool
    /// The field of a user's hash that holds the membership.
    let membershipField: [UInt8]
    /// Reads the end of the activity.
    let readEnd: RedisCommand
    fileprivate let knownUntil: MonotonicTime
    /// The syncs that need the activity's end at the end of this turn.
    var waitingForEnd: [EndReads.Waiting] = []
    private var writes: [Int: Scripts.PutUpdateCell] = [:]

    /// Enough for 3.5 million devices. Beyond that, the heads are dropped.
    private static let maximumPages = 4096

    init(_ record: ActivityRecord, knownUntil: MonotonicTime) {
        self.record = record
        self.knownUntil = knownUntil
        keptUntil = record.activity.keptUntil.milliseconds
        catchesUp = record.catchesUp
        membershipField = UserRecord.membershipField(record.activity.id)
        readEnd = RedisCommand("HGET", Keys.activity(record.activity.id), "end_broadcast")
    }

    /// The beginning of the script's call that writes the slot's cell.
    func write(slot: UInt32, _ roster: StoredRoster) -> Scripts.PutUpdateCell {
        let page = RosterGeometry.page(ofSlot: slot)
        if let head = writes[page] { return head }
        if writes.count >= KnownActivity.maximumPages { writes = [:] }
        let partition = RosterGeometry.partition(ofPage: page)
        let (updatePage, statusPage, counters, pendingEnds) = roster.updateKeys(id, slot)
        let head = Scripts.PutUpdateCell(
            updatePage: updatePage, statusPage: statusPage, counters: counters, pendingEnds: pendingEnds,
            startPage: Keys.startPage(id, page), doubts: Keys.doubts(id, partition),
            startCounts: Keys.startCounts(id, partition), reading: catchesUp ? Keys.readPage(id, page) : nil)
        writes[page] = head
        return head
    }
}

/// The activities that devices reported for a moment ago. Confined to the reactor.
///
/// Only started activities are kept. Each sync reads the end of its activity after it has written its token. Cached
/// channels, and records of an emptied store, are at most `lifetime` old.
final class KnownActivities: @unchecked Sendable {
    static let lifetime = TimeInterval.seconds(10)
    static let maximumCount = 256

    private let reactor: Reactor
    private var known: [UniqueID: KnownActivity] = [:]

    init(on reactor: Reactor) {
        self.reactor = reactor
    }

    func find(_ id: UniqueID, now: MonotonicTime) -> KnownActivity? {
        assert(reactor.isOnReactor)
        guard let activity = known[id], now < activity.knownUntil else { return nil }
        return activity
    }

    func add(_ record: ActivityRecord, now: MonotonicTime) -> KnownActivity {
        let activity = KnownActivity(record, knownUntil: now + KnownActivities.lifetime)
        guard record.activity.state == .started else { return activity }
        if known.count >= KnownActivities.maximumCount {
            known = known.filter { now < $0.value.knownUntil }
            // All of them are in use: which one goes does not matter.
            if known.count >= KnownActivities.maximumCount { known = [:] }
        }
        known[record.activity.id] = activity
        return activity
    }
}
