import Delivery
import LiveActivity
import RosterCore
import TimeCore

/// The decisions about one sync. Pure: `SyncCall` carries out the actions and passes the replies of the store on.
///
/// 1. The device's place in the activity is found.
/// 2. The token's cell is written, and the device's consent and the activity's end are read behind it. An end, or the
///    withdrawal of a consent, changes its state first and then reads the cells. So one of the two always finds the
///    other.
/// 3. Few syncs have questions before they finish.
///
/// A device that is missing after the write has been erased meanwhile. The erasure has ended the Live Activities in the
/// cells, but it may have missed this token. So the report is answered like any later one, and the app ends its Live
/// Activity.
///
/// Invariants:
/// 1. A sync finishes once, at the latest with the first error. It ignores replies that it does not wait for.
/// 2. It finishes as recorded only with a consent and an end that were read behind its last write.
/// 3. If the user refuses pushes it takes the token from the cell, and has nothing sent.
/// 4. It writes again only for an owner, an end that was missed and a move (once each in a place), newer registration
///    tokens (three times), and a consent that is given again.
struct SyncMachine: ~Copyable {
    /// The place that is being synced.
    struct Place {
        let known: KnownActivity
        var slot: UInt32
        var lookup: SyncLookup
        /// True if the activity's time is up.
        let isOver: Bool
        /// The token in the slot's cell from the write on; nil for none.
        var token: [UInt8]?
        /// The number of the reads behind the write.
        var round = 0
        /// The number of times that a registration token was written after a newer one had come.
        var tokenChanges = 0
        var hasMoved = false
        /// True once the event of the new token is recorded.
        var isPublished = false
        /// The update that will not come to the slot to which it was moved, and true if that was looked for behind the
        /// write.
        var missed: MissedUpdate?
        var hasLookedForMissed = false
        /// The reason for which its Live Activity had ended, although the device reports that it is there.
        var endedBefore: EndReason?

        var hasOneToken: Bool { RosterGeometry.kind(ofSlot: slot).hasOneToken }
    }

    /// The replies to the write and to the reads behind it.
    struct Replies {
        var written: Scripts.PutUpdateCellReply?
        var end: UniqueID??
        var device: ReadDevice?
    }

    /// The content of these replies.
    struct Findings {
        let outcome: Outcome
        /// The end of this Live Activity that waits for its token.
        var pendingEnd: PendingEnd?
        /// Milliseconds since the start of the Live Activity, of a token that was written.
        let sinceStart: Int?
        let end: UniqueID?
        let device: ReadDevice
    }

    enum State: ~Copyable {
        case begun(SyncLookup)
        case lookingUp(SyncLookup, KnownActivity?, SyncLookup.Reply?)
        /// The place is nil before the first write.
        case searching(KnownActivity, slot: UInt32?, SyncLookup, Place?)
        case readingToken(Place)
        case writing(Place, Replies)
        case asking(Question, Place, Findings)
        case finished
    }

    /// The greatest number of newer registration tokens that a sync writes. The device's next report writes the newest.
    private static let mostTokenChanges = 3

    let tenantID: String
    /// The reported token; nil if the device only reports that its Live Activity is there.
    let token: [UInt8]?
    /// True if the report has the system's id of the Live Activity.
    let hasName: Bool
    var state: State

    init(_ lookup: SyncLookup, tenantID: String, token: [UInt8]?, hasName: Bool) {
        (self.tenantID, self.token, self.hasName) = (tenantID, token, hasName)
        state = .begun(lookup)
    }

    mutating func replied(_ reply: Reply, now: WallTime) -> Action {
        // A branch that sets no other state finishes.
        switch exchange(&state, with: .finished) {
        case .finished: return .wait
        case .begun(let lookup): return begun(lookup, reply, now)
        case .lookingUp(let lookup, let known, let place): return lookingUp(lookup, known, place, reply, now)
        case .searching(let known, let slot, let lookup, let place):
            return searching(known, slot, lookup, place, reply, now)
        case .readingToken(let place):
            guard case .device(let device, 0) = reply else { return wait(.readingToken(place)) }
            return write(place, token: device?.registrationToken)
        case .writing(let place, let replies): return writing(place, replies, reply)
        case .asking(let question, let place, let found): return asking(question, place, found, reply)
        }
    }

    /// A step has failed, or leads nowhere.
    mutating func ended(_ end: SyncEnd) -> Action {
        switch exchange(&state, with: .finished) {
        case .finished: .wait
        default: .finish(end)
        }
    }

    mutating func wait(_ state: consuming State) -> Action {
        self.state = state
        return .wait
    }

    func finish(_ outcome: SyncOutcome) -> Action { .finish(.other(outcome)) }

    mutating func ask(_ question: Question, _ place: consuming Place, _ found: consuming Findings) -> Action {
        state = .asking(question, place, found)
        return .ask(question, place)
    }

    // MARK: The place

    private mutating func begun(_ lookup: SyncLookup, _ reply: Reply, _ now: WallTime) -> Action {
        switch reply {
        case .activity(let id, let known):
            // Once its time is up the activity may be known as started still, and have ended in one way or another.
            // Another tenant's activity is read, because the commands must be those for one that does not exist.
            let known = known.flatMap { isOwn($0) && $0.record.activity.endsAt > now ? $0 : nil }
            state = .lookingUp(lookup, known, nil)
            return .lookUp(id, known)
        case .place(let known, let slot): return begin(known, slot, lookup, now)
        case .owner(let owner): return begin(owner ?? .none)
        default: return wait(.begun(lookup))
        }
    }

    private mutating func lookingUp(
        _ lookup: SyncLookup, _ known: KnownActivity?, _ place: SyncLookup.Reply?, _ reply: Reply, _ now: WallTime
    ) -> Action {
        var (lookup, known, place) = (lookup, known, place)
        switch reply {
        case .record(let record): known = record
        case .lookup(let read):
            lookup.add(read)
            place = read
        default: break
        }
        guard let known, let place else { return wait(.lookingUp(lookup, known, place)) }
        let hasOneToken = place.slot.map { RosterGeometry.kind(ofSlot: $0).hasOneToken } ?? false
        // The name says more than the activity that the report names.
        if let named = place.namedActivity, named != known.id, !hasOneToken {
            state = .begun(lookup)
            return .find(named)
        }
        return found(known, place.slot, lookup, now)
    }

    private mutating func found(
        _ known: KnownActivity, _ slot: UInt32?, _ lookup: SyncLookup, _ now: WallTime
    ) -> Action {
        guard isOwn(known) else { return finish(.notFound) }
        // The phone may show the Live Activity of a former login. The write notices only a new token.
        if lookup.otherPlaces == .ofOtherLogins, slot == nil || token == nil && lookup.isNewByTopic {
            return search(known, slot, lookup, nil)
        }
        guard let slot else { return finish(.notFound) }
        let isOver = known.record.activity.endsAt <= now
        if let refusal = SyncMachine.refusal(of: known, isOver: isOver, lookup.type) { return finish(refusal) }
        return write(Place(known: known, slot: slot, lookup: lookup, isOver: isOver))
    }

    /// The answer for an activity that can have no Live Activity; nil for any other.
    private static func refusal(of known: KnownActivity, isOver: Bool, _ type: String?) -> SyncOutcome? {
        // Its parts are named one by one: a copy of the record would cost more than all that is done here.
        let state = known.record.activity.state
        // Its Live Activity must not be orphaned: it is found by the end that the gateway sends, or is sent it late.
        if isOver, known.record.activity.startedAt == nil || state != .started && known.record.endReason != .expired {
            return .notFound
        }
        if let type, !known.record.activity.type.utf8.elementsEqual(type.utf8) {
            return .typeMismatch(registered: known.record.activity.type)
        }
        if state == .registered { return .notStarted }
        return state == .dead && known.record.endBroadcast == nil ? .notFound : nil
    }

    private func isOwn(_ known: KnownActivity) -> Bool { known.record.activity.tenantID == tenantID }

    // MARK: The owner

    /// Searches the place to which the token or the name belongs. A report with those of another Live Activity came
    /// late, or the app named the wrong activity. It counts for the activity and the login of the Live Activity.
    /// - Parameter isOwn: True if the place has had the token, so that only the name is searched there.
    mutating func search(
        _ known: KnownActivity, _ slot: UInt32?, _ lookup: SyncLookup, _ place: Place?, isOwn: Bool = false
    ) -> Action {
        state = .searching(known, slot: slot, lookup, place)
        return .search(
            known, slot: slot, isElsewhere: lookup.otherPlaces == .ofOtherLogins && !isOwn,
            isNew: lookup.isNewByTopic && !isOwn)
    }

    private mutating func searching(
        _ known: KnownActivity, _ slot: UInt32?, _ lookup: SyncLookup, _ place: Place?, _ reply: Reply, _ now: WallTime
    ) -> Action {
        var searched = lookup
        searched.otherPlaces = .none
        switch reply {
        case .place(let known, let slot): return begin(known, slot, searched, now)
        case .owner(nil): break
        // Until a newer Live Activity reports a token, the earlier one may be the only one on the phone.
        case .owner(.former(let record, _)) where record.activity.id == known.id && hasName:
            searched.otherPlaces = .onlyIfVacant
        case .owner(let owner?): return begin(owner)
        default: return wait(.searching(known, slot: slot, lookup, place))
        }
        guard var place else { return found(known, slot, searched, now) }
        place.lookup = searched
        return write(place)
    }

    /// Begins with a place that was found in another way. The name of its Live Activity may be new.
    private mutating func begin(
        _ known: KnownActivity, _ slot: UInt32, _ lookup: SyncLookup, _ now: WallTime
    ) -> Action {
        var lookup = lookup
        lookup.isNameNew = true
        return found(known, slot, lookup, now)
    }

    private func begin(_ owner: ReportedPlace) -> Action {
        switch owner {
        case .ofOtherLogin(let login, let record, let slot): .begin(as: login, record, slot: slot)
        case .former(let record, let slot): finish(.synced(record, slot: slot, lateEnd: nil))
        case .ambiguous(let candidates): finish(.ambiguous(candidates))
        case .place, .none: finish(.notFound)
        }
    }

    // MARK: The write, and the reads behind it

    /// An Android device has no update tokens: pushes use its registration token. It is read before the write and
    /// again behind it. Because a new one is also written to the cells of running activities, the last writer must
    /// write the newest.
    mutating func write(_ place: consuming Place) -> Action {
        guard place.hasOneToken else { return write(place, token: token) }
        state = .readingToken(place)
        return .readUser
    }

    private mutating func write(_ place: consuming Place, token: [UInt8]?) -> Action {
        place.token = token
        place.round += 1
        let written = copy place
        state = .writing(place, Replies())
        return .write(written)
    }

    private mutating func writing(_ place: consuming Place, _ replies: consuming Replies, _ reply: Reply) -> Action {
        switch reply {
        case .written(let written, let areReadsSent):
            replies.written = written
            let cameEarly = replies.end != nil || replies.device != nil
            guard cameEarly || !areReadsSent else { break }
            // They have not been sent, or the server did not know the script, and the write was sent again behind them.
            if cameEarly { place.round += 1 }
            let read = copy place
            state = .writing(place, Replies(written: written))
            return .read(read)
        case .end(let end, place.round): replies.end = .some(end)
        case .device(nil, place.round): return finish(.notFound)
        case .device(let device, place.round): replies.device = device
        default: break
        }
        guard let written = replies.written, let end = replies.end, let device = replies.device else {
            return wait(.writing(place, replies))
        }
        return weigh(place, written, end, device)
    }

    private mutating func weigh(
        _ place: consuming Place, _ written: Scripts.PutUpdateCellReply, _ end: UniqueID?, _ device: ReadDevice
    ) -> Action {
        if place.hasOneToken, let newest = device.registrationToken, newest != place.token,
            place.tokenChanges < SyncMachine.mostTokenChanges
        {
            place.tokenChanges += 1
            return write(place, token: newest)
        }
        let found = Findings(
            outcome: Outcome(rawValue: written.outcome) ?? .notMember, pendingEnd: PendingEnd(written.pendingEnd),
            sinceStart: written.sinceStart, end: end, device: device)
        if case .owed(let reason)? = found.pendingEnd { place.endedBefore = reason }
        if written.reached == true, !device.isReached { return ask(.markReached, place, found) }
        return conclude(place, found, by: found.outcome)
    }
}
