import LiveActivity
import TimeCore

/// Decides which slots a restart is for, from what the store has of each. Without store or clock.
struct RestartRules {
    var wish: RestartWish
    let now: WallTime
    /// When the activity was started: taken for the time of an outcome that nothing is known of.
    let startedAt: WallTime
    /// Whether the start was for the whole segment, so that whoever has no delivery status was left out by it.
    let wasStartedWhole: Bool
    /// Whether the devices follow a channel: they need report nothing, so their silence says nothing.
    var followsChannel = false
    /// The order number of the activity's newest broadcast when a client asked for the restart; nil for a restart of
    /// the gateway's own.
    var order: Int?

    /// What is known of a slot.
    struct Slot {
        var status: UInt8
        var token = UpdateTokenState.none
        /// What the cell of its update token says in place of one; 0 for nothing.
        var mark: UInt8 = 0
        var outcome: PushOutcomeNote?
        /// How many starts are noted; nil when none are.
        var notedStarts: Int?
        /// See `StartNote`.
        var notedOrder = 0
        /// The number of the start for the device that was meant and whose token this slot's device has now; nil for a
        /// slot that is meant itself.
        var inheritedStart: Int?
    }

    enum Decision: Equatable {
        case notMeant
        case skip(SkipReason)
        /// It is started again, which makes so many starts.
        case start(number: Int)
    }

    /// Whether a slot with this delivery status may be meant when more is known of it: nothing else need be read of the
    /// others.
    func reads(_ status: UInt8) -> Bool {
        switch wish.selection {
        // See `statusBefore`.
        case .failed, .unknown, .notSynced: considers(status) || status == DeliveryStatus.registered
        case .unsent, .targets, .leftOut, .healing: considers(status)
        }
    }

    /// Whether a slot with this delivery status is of the kind that is meant.
    func considers(_ status: UInt8) -> Bool {
        switch wish.selection {
        case .unsent: status == DeliveryStatus.registered || status == DeliveryStatus.startUnsent
        case .failed: status == DeliveryStatus.startFailed
        case .unknown: status == DeliveryStatus.startUnknown
        case .notSynced: status == DeliveryStatus.startAccepted
        case .targets: DeliveryStatus.isMember(status)
        case .leftOut: status == DeliveryStatus.startUnsent
        case .healing: DeliveryStatus.isLive(status)
        }
    }

    func decide(_ slot: Slot) -> Decision {
        if let number = slot.inheritedStart { return decide(slot, inheriting: number) }
        guard considers(slot.status) || RestartRules.statusBefore(slot).map(considers) == true else { return .notMeant }
        switch wish.selection {
        case .unsent where slot.status == DeliveryStatus.registered:
            // After a start to a list, whoever was not on it was not left out. But one who is noted was being started
            // again.
            guard wasStartedWhole || slot.notedStarts != nil else { return .notMeant }
        case .notSynced(let age):
            guard isSilent(slot, for: age) else { return .notMeant }
        case .healing(let silence):
            guard isToBeHealed(slot, silence) else { return .notMeant }
        default: break
        }
        // Whatever else a device may say of its Live Activity, it is there.
        if slot.token != .none, slot.token != .dead, DeliveryStatus.isLive(slot.status) { return .skip(.active) }
        let starts = RestartRules.starts(status: slot.status, noted: slot.notedStarts)
        // The start in doubt counts, so one more start is allowed.
        let most = wish.maximumStarts + (isLeftInDoubtByHealing(slot) ? 1 : 0)
        return starts < most ? .start(number: starts + 1) : .skip(.startLimit)
    }

    /// The delivery status that a slot had before it was made ready for a restart, when that never came: its gateway
    /// was killed before it was recorded. Whoever asks for the same restart again means the same devices.
    private static func statusBefore(_ slot: Slot) -> UInt8? {
        guard slot.status == DeliveryStatus.registered, let outcome = slot.outcome else { return nil }
        let status =
            switch outcome.failure {
            case nil: DeliveryStatus.startAccepted
            case PageOutcome.unknownReason: DeliveryStatus.startUnknown
            default: DeliveryStatus.startFailed
            }
        // The start before counts unless it was refused; the one that never came is noted behind it.
        let starts = RestartRules.starts(status: status, noted: nil)
        return (slot.notedStarts ?? 0) > starts ? status : nil
    }

    /// Whether nothing was heard of a device since its start so long ago.
    private func isSilent(_ slot: Slot, for age: TimeInterval) -> Bool {
        guard !followsChannel, slot.token == .none, slot.mark == 0 || slot.mark == TokenPage.healingMark else {
            return false
        }
        return (slot.outcome?.at ?? startedAt) + age <= now
    }

    private func isLeftInDoubtByHealing(_ slot: Slot) -> Bool {
        guard case .healing = wish.selection else { return false }
        return slot.status == DeliveryStatus.startUnknown && slot.mark == TokenPage.healingMark
    }

    /// `Scripts.findToHeal` says the same of a page.
    private func isToBeHealed(_ slot: Slot, _ silence: TimeInterval?) -> Bool {
        if slot.token == .dead { return (slot.outcome?.at ?? startedAt) + Healing.grace <= now }
        if slot.mark == TokenPage.healingMark,
            [DeliveryStatus.registered, DeliveryStatus.startUnsent].contains(slot.status)
        {
            return true
        }
        if isLeftInDoubtByHealing(slot) { return isSilent(slot, for: max(Healing.doubt, silence ?? .zero)) }
        guard let silence, slot.status == DeliveryStatus.startAccepted else { return false }
        return isSilent(slot, for: silence)
    }

    /// How many starts a device may have got. The last one that is noted counts unless it is known that the device did
    /// not get it; of the first one there is no note.
    static func starts(status: UInt8, noted: Int?) -> Int {
        max(0, (noted ?? 1) - (didNotGetLastStart(status) ? 1 : 0))
    }

    /// Whether it is known of a device with this delivery status that it did not get the last start.
    static func didNotGetLastStart(_ status: UInt8) -> Bool {
        [DeliveryStatus.registered, DeliveryStatus.startFailed, DeliveryStatus.startUnsent].contains(status)
    }
}

// A Live Activity is meant by its slot, and its phone may report for another login since. These are the rules for the
// present login of such a phone.
extension RestartRules {
    /// True if the device that has the token now is started for a device that was meant and has lost the token.
    var startsNewOwners: Bool {
        switch wish.selection {
        case .unknown, .notSynced, .healing: true
        case .unsent, .failed, .targets, .leftOut: false
        }
    }

    /// True if the start may ignore the Live Activity that another login on the phone may have, because the restart is
    /// for such.
    func ignores(_ slot: Slot) -> Bool {
        guard DeliveryStatus.mayShowLiveActivity(slot.status) else { return false }
        return switch wish.selection {
        case .unsent, .failed, .leftOut: false
        case .unknown: slot.status == DeliveryStatus.startUnknown && slot.token == .none
        case .notSynced(let age): isSilent(slot, for: age)
        case .targets: slot.token == .none
        case .healing(let silence): isToBeHealed(slot, silence)
        }
    }

    private func decide(_ slot: Slot, inheriting number: Int) -> Decision {
        guard DeliveryStatus.isMember(slot.status) else { return .skip(.notInSegment) }
        guard DeliveryStatus.isLive(slot.status) else { return .skip(.ended) }
        guard slot.token == .none || slot.token == .dead else { return .skip(.active) }
        switch slot.status {
        case DeliveryStatus.registered:
            // After a start to a list, a device that was not on it was not left out.
            guard wasStartedWhole || slot.notedStarts != nil else { return .skip(.noPushToStartToken) }
        case DeliveryStatus.startUnsent: break
        case DeliveryStatus.startFailed:
            // Healing would repeat a refused start for ever.
            if case .healing = wish.selection { return .skip(.noPushToStartToken) }
        default:
            guard ignores(slot) else { return .skip(.active) }
        }
        let starts = RestartRules.starts(status: slot.status, noted: slot.notedStarts)
        return starts < wish.maximumStarts ? .start(number: max(starts + 1, number)) : .skip(.startLimit)
    }
}
