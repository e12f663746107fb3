import Delivery
import LiveActivity
import RosterCore
import TimeCore

@testable import GatewayStore

/// A command of a sync.
enum SyncCommand {
    case topic, record(UniqueID)
    case lookUp(UniqueID)
    case firstSearch
    case search(KnownActivity, slot: UInt32?, isElsewhere: Bool)
    case user
    case write(SyncMachine.Place)
    case end(SyncMachine.Place), device(SyncMachine.Place)
    case ask(SyncMachine.Question, SyncMachine.Place)
}

// The store's side of a sync.
extension SyncWorld {
    func index(_ id: UniqueID) -> Int { activities[0].id == id ? 0 : 1 }

    func record(_ index: Int) -> ActivityRecord? {
        let activity = activities[index]
        guard activity.life != .missing else { return nil }
        let state: [Life: Activity.State] = [.registered: .registered, .started: .started]
        var fields = [
            "tenant": SyncWorld.tenant, "type": "type", "created_at": "1", "topic": "topic",
            "ends_at": String(SyncWorld.now.milliseconds + (activity.isOver ? 0 : 1)),
            "state": String((state[activity.life] ?? .dead).rawValue),
        ]
        if activity.life == .started || activity.life == .ended { fields["started_at"] = "1" }
        fields["end_broadcast"] = activity.end?.description
        if activity.life == .ended { fields["end_reason"] = String(activity.endReason.rawValue) }
        if activity.catchesUp { fields["catch_up"] = "1" }
        return ActivityRecord(activity.id, fields.map { (Array($0.utf8), Array($1.utf8)) })
    }

    mutating func keep(_ index: Int) -> KnownActivity? {
        guard let record = record(index) else { return nil }
        let activity = KnownActivity(record, knownUntil: .now())
        if record.activity.state == .started { known[index] = activity }
        return activity
    }

    /// Executes a command of a login. Returns nil if the report leads to nothing.
    mutating func execute(_ command: SyncCommand, _ login: Int, _ report: Report) -> SyncMachine.Reply? {
        let device = device(login)
        switch command {
        case .topic: return .activity(activities[0].id, known[0])
        case .record(let id): return keep(index(id)).map { .record($0) }
        case .lookUp(let id): return .lookup(lookup(login, index(id), report))
        case .firstSearch: return found(owner(report) ?? Spot(), report)
        case .search(let known, let slot, let isElsewhere):
            let owner = owner(report)
            if report.name == .earlier, let slot, index(known.id) == 0 {
                return .owner(.former(known.record, slot: slot))
            }
            guard let owner, owner != Spot(login: login, activity: index(known.id)),
                isElsewhere || slot != nil && owner.login == login
            else { return .owner(nil) }
            return found(owner, report)
        case .user: return .device(device, round: 0)
        case .write(let place): return .written(write(place, login), areReadsSent: !isCluster)
        case .end(let place): return .end(activities[index(place.known.id)].end, round: place.round)
        case .device(let place): return .device(device, round: place.round)
        case .ask(let question, let place):
            return answer(question, place, Spot(login: login, activity: index(place.known.id)))
        }
    }

    private func device(_ login: Int) -> SyncMachine.ReadDevice? {
        guard !logins[login].isErased else { return nil }
        return SyncMachine.ReadDevice(
            refusal: logins[login].refuses ? .pushOptOut : nil, changedKind: logins[login].changedKind,
            registrationToken: logins[login].registrationToken.map(SyncWorld.bytes))
    }

    static func bytes(_ token: Int) -> [UInt8] { [UInt8(token / 256), UInt8(token % 256)] }

    private static func number(_ token: [UInt8]) -> Int { Int(token[0]) * 256 + Int(token[1]) }

    private func lookup(_ login: Int, _ index: Int, _ report: Report) -> SyncLookup.Reply {
        var reply = SyncLookup.Reply()
        guard !logins[login].isErased else { return reply }
        reply.slot = cells[Spot(login: login, activity: index)]?.slot
        if report.name == .none, report.token != nil, cells[Spot(activity: 1 - index)] != nil {
            reply.otherPlaces = .ofDevice
        }
        if hasHandOvers { reply.otherPlaces = .ofOtherLogins }
        reply.isNameNew = report.name == .new
        switch report.name {
        case .none, .new: break
        case .present, .earlier: reply.namedActivity = activities[0].id
        case .ofOther: reply.namedActivity = activities[1].id
        }
        return reply
    }

    /// The place whose Live Activity has, or had, the reported token; nil for an unknown token.
    func owner(_ report: Report) -> Spot? {
        guard let token = report.token else { return nil }
        return [Spot(), Spot(activity: 1), Spot(login: 1)].first {
            cells[$0]?.token == token || cells[$0]?.former.contains(token) == true
        }
    }

    private mutating func found(_ spot: Spot, _ report: Report) -> SyncMachine.Reply {
        guard let cell = cells[spot], let known = keep(spot.activity), !known.isOver, !logins[0].isErased,
            !logins[spot.login].isErased
        else { return .owner(ReportedPlace.none) }
        if spot.login == 1 { return .owner(.ofOtherLogin(SyncWalk.key(1), known.record, slot: cell.slot)) }
        if spot != Spot(), cell.token != report.token { return .owner(.former(known.record, slot: cell.slot)) }
        return .place(known, slot: cell.slot)
    }

    /// `put-update-cell.lua`, without its counters.
    private mutating func write(_ place: SyncMachine.Place, _ login: Int) -> Scripts.PutUpdateCellReply {
        let spot = Spot(login: login, activity: index(place.known.id))
        let places = place.lookup.otherPlaces
        func reply(_ outcome: SyncMachine.Outcome, _ end: String = "") -> Scripts.PutUpdateCellReply {
            Scripts.PutUpdateCellReply(outcome: outcome.rawValue, pendingEnd: end, reached: true, sinceStart: nil)
        }
        guard var cell = cells[spot], cell.slot == place.slot else { return reply(.notMember) }
        let token = place.token.map(SyncWorld.number)
        var isNew = false
        let wasRefused = token != nil && cell.dropped == token
        if let token, token != cell.token {
            let isFormer = cell.former.contains(token) && !isAndroid
            let isEarlier = cell.earlier.contains(token)
            if cell.ended != nil, (isFormer || isEarlier) && !wasRefused || places == .onlyIfVacant {
                return reply(.hasEnded)
            }
            if isEarlier || places == .onlyIfVacant && cell.token != nil { return reply(.former) }
            let mayBeElsewhere =
                places == .ofOtherLogins || places == .ofEarlierLiveActivity || places == .ofDevice && !isFormer
                || places == .ofEarlierActivity && !isFormer && cell.hasReported
            if mayBeElsewhere, !isAndroid { return reply(.elsewhere) }
            isNew = !isFormer && !isAndroid
        } else if token == nil, places == .ofOtherLogins || places == .ofEarlierActivity, cell.hasReported, !isAndroid {
            return reply(.elsewhere)
        }
        var outcome = SyncMachine.Outcome.written
        if let reason = cell.ended {
            guard reason == .userDismissed, token != nil else {
                return reply(isNew || wasRefused ? .hasMissedEnd : .hasEnded)
            }
            (cell.owed, cell.pending, cell.ended, outcome) = (reason, nil, nil, .writtenAfterDismissal)
        }
        let end = cell.owed.map { PendingEnd.owed($0).text } ?? cell.pending?.description ?? ""
        cell.hasReported = true
        if let token {
            if cell.token == token { outcome = .same }
            if let old = cell.token, old != token { cell.former.insert(old) }
            (cell.token, cell.dropped) = (token, nil)
        } else {
            if cell.token != nil || cell.isShown { outcome = .same }
            cell.isShown = true
        }
        cells[spot] = cell
        return reply(outcome, end)
    }

    private mutating func answer(
        _ question: SyncMachine.Question, _ place: SyncMachine.Place, _ spot: Spot
    ) -> SyncMachine.Reply {
        switch question {
        case .markReached, .name, .publish: return .done
        case .channel: return .flag(isChannelKept)
        case .broadcast(let end): return .flag(recorded.contains(end))
        case .endReason: return .reason(.expired)
        case .clear(_, let reason):
            drop(spot)
            if let reason { change(spot) { ($0.ended, $0.owed, $0.pending) = ($0.ended ?? reason, nil, nil) } }
            return .done
        case .consent: return .device(device(spot.login), round: 0)
        case .showAgain:
            guard let reason = cells[spot]?.ended, reason != .userDismissed, mayShowAgain else { return .reason(nil) }
            change(spot) { ($0.ended, $0.owed, $0.pending) = (nil, reason, nil) }
            return .reason(reason)
        case .move(let kind):
            guard cells[spot] != nil, !logins[spot.login].isErased else { return .move(nil) }
            let slot = freeSlot(kind)
            change(spot) {
                if let token = $0.token { $0.former.insert(token) }
                ($0.slot, $0.token, $0.hasReported) = (slot, nil, false)
            }
            hidden = coming?.id
            return .move(EnvironmentMoves.Move(slot: slot, missed: coming))
        case .coming: return .update(hidden == coming?.id ? nil : coming)
        case .newestUpdate: return .update(activities[spot.activity].update)
        case .hasMet: return .flag(false)
        }
    }
}

extension KnownActivity {
    fileprivate var isOver: Bool { record.activity.endsAt <= SyncWorld.now }
}
