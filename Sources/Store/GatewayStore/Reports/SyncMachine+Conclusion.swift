import Delivery
import LiveActivity
import RosterCore

// Concludes a sync after its write and the reads behind it.
extension SyncMachine {
    mutating func conclude(_ place: consuming Place, _ found: consuming Findings, by outcome: Outcome) -> Action {
        let changedKind = found.device.changedKind
        if !place.hasMoved, let kind = EnvironmentMoves.kind(after: outcome, in: place.slot, now: changedKind) {
            place.hasMoved = true
            return ask(.move(kind), place, found)
        }
        switch outcome {
        case .notMember: return finish(.notFound)
        case .same where hasName && place.lookup.isNameNew: return ask(.name, place, found)
        case .written where hasName, .writtenAfterDismissal where hasName: return ask(.name, place, found)
        case .same, .written, .writtenAfterDismissal: return conclude(place, found)
        case .elsewhere: return search(place.known, place.slot, place.lookup, place)
        case .former where hasName && place.lookup.otherPlaces.isOpen:
            return search(place.known, place.slot, place.lookup, place, isOwn: true)
        case .hasEnded where found.device.refusal != nil, .hasMissedEnd where found.device.refusal != nil:
            return finish(.notFound)
        case .hasEnded, .hasMissedEnd:
            // FCM keeps no message for ever, and an app for Android reports only a Live Activity that is there. An
            // iPhone may report the token of an ended Live Activity that has not left its screen.
            let hasMissed = outcome == .hasMissedEnd || place.hasOneToken
            guard place.endedBefore == nil, place.next(.ended, hasEnded: true, hasMissed: hasMissed) == .end else {
                return finish(place, lateEnd: nil)
            }
            return ask(.showAgain(isOver: place.isOver || found.end != nil), place, found)
        case .former: return finish(place, lateEnd: nil)
        }
    }

    private mutating func conclude(_ place: consuming Place, _ found: consuming Findings) -> Action {
        let isRefused = found.device.refusal != nil
        let goesOn = found.end == nil && !place.isOver && !isRefused
        if !place.isPublished, found.outcome == .written, place.token != nil, !isRefused,
            place.endedBefore == nil
        {
            place.isPublished = true
            return ask(.publish(sinceStart: found.sinceStart), place, found)
        }
        // Nothing can be sent to a Live Activity without a token. An end that waits for it goes on waiting. If the
        // channel that the device follows was deleted before the end, only the app can end the Live Activity.
        guard isRefused || place.next(found.end == nil ? .running : .ended, hasMissed: true) != .nothing else {
            return found.end == nil ? finish(place, lateEnd: nil) : ask(.channel, place, found)
        }
        if let endedBefore = place.endedBefore, goesOn {
            return finish(.endedBefore(place.known.record, slot: place.slot, endedBefore))
        }
        if case .broadcast(let end)? = found.pendingEnd {
            found.pendingEnd = nil
            return ask(.broadcast(end), place, found)
        }
        guard goesOn else { return conclude(place, found, end: found.end) }
        if found.device.changedKind != nil, !place.hasLookedForMissed {
            place.hasLookedForMissed = true
            return ask(.coming, place, found)
        }
        if let missed = place.missed { return finish(place, missed: missed) }
        if place.known.catchesUp, !place.known.record.hearsByChannel(place.slot) {
            return ask(.newestUpdate, place, found)
        }
        return finish(place, lateEnd: nil)
    }

    /// Concludes with an end that the Live Activity has missed; nil for none. No push may end the Live Activity of a
    /// user who refuses pushes, so the app must end it, and reports no more.
    private mutating func conclude(_ place: consuming Place, _ found: consuming Findings, end: UniqueID?) -> Action {
        guard let refusal = found.device.refusal else { return finish(place, lateEnd: end) }
        return ask(end.map { .endReason($0, refusal) } ?? .clear(refusal, place.endedBefore), place, found)
    }

    private func finish(_ place: consuming Place, missed: MissedUpdate) -> Action {
        finish(.behind(place.known.record, slot: place.slot, update: missed))
    }

    private func finish(_ place: consuming Place, lateEnd: UniqueID?) -> Action {
        if place.isOver { return finish(.over(place.known.record, slot: place.slot, lateEnd: lateEnd)) }
        guard let lateEnd else { return .finish(.noted(place.known, slot: place.slot)) }
        return finish(.synced(place.known.record, slot: place.slot, lateEnd: lateEnd))
    }

    /// Goes on with the answer to a question.
    mutating func asking(_ question: Question, _ place: consuming Place, _ found: consuming Findings, _ reply: Reply)
        -> Action
    {
        switch (question, reply) {
        case (.markReached, .done): return conclude(place, found, by: found.outcome)
        case (.name, .done), (.publish, .done): return conclude(place, found)
        case (.channel, .flag(let isKept)): return isKept ? finish(place, lateEnd: nil) : finish(.notFound)
        // If the record was refused, the end is ignored.
        case (.broadcast(let end), .flag(let isRecorded)):
            return isRecorded ? conclude(place, found, end: end) : conclude(place, found)
        case (.endReason(_, let refusal), .reason(let reason)):
            return ask(.clear(refusal, reason ?? .endedByAPI), place, found)
        // The device may have consented again before its token was cleared.
        case (.clear(_, nil), .done): return ask(.consent, place, found)
        case (.clear, .done): return finish(.notFound)
        case (.consent, .device(let device, 0)):
            return device?.refusal == nil ? write(place) : finish(place, lateEnd: nil)
        case (.showAgain, .reason(let reason?)):
            place.endedBefore = reason
            return write(place)
        case (.move, .move(let move?)):
            (place.slot, place.missed) = (move.slot, move.missed)
            return write(place)
        case (.move, .move(nil)): return finish(.notFound)
        case (.coming, .update(let update)):
            if let update, update.order > place.missed?.order ?? -1 { place.missed = update }
            return conclude(place, found)
        case (.newestUpdate, .update(let update?)): return ask(.hasMet(update), place, found)
        case (.hasMet(let update), .flag(false)): return finish(place, missed: update)
        case (.showAgain, .reason), (.newestUpdate, .update), (.hasMet, .flag): return finish(place, lateEnd: nil)
        default: return wait(.asking(question, place, found))
        }
    }
}

extension SyncMachine.Place {
    /// The step for the device, which reports that its Live Activity is there.
    /// - Parameters:
    ///   - hasEnded: True if the Live Activity has ended before.
    ///   - hasMissed: True if the token may have missed the newest update, or the end.
    fileprivate func next(_ wanted: WantedState, hasEnded: Bool = false, hasMissed: Bool) -> SlotStep {
        let status = hasEnded ? DeliveryStatus.firstEnd : DeliveryStatus.startAccepted
        let has = SlotState(status: status, report: token == nil ? .shown : .token)
        return .next(wanted: wanted, has: has, evidence: .report(hasMissed: hasMissed))
    }
}
