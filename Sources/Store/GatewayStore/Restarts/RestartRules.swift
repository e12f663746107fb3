import LiveActivity
import RosterCore
import TimeCore

/// Decides which slots a restart is for, from what the store has of each. Without store or clock.
struct RestartRules {
    var wish: RestartWish
    let now: WallTime
    /// The time of the activity's start, which replaces the unknown time of an outcome.
    let startedAt: WallTime
    /// True if the start was for the whole segment, so that it has left out each device without a delivery status.
    let wasStartedWhole: Bool
    /// True if the devices follow a channel. They need not report, so their silence says nothing.
    var followsChannel = false
    /// True if the provider has deleted the channel that the devices follow. A Live Activity that a device has shown
    /// without a token is there, but nothing reaches it.
    var hasLostChannel = false
    /// The order number of the activity's newest broadcast when a client asked for the restart; nil for a restart of
    /// the gateway's own.
    var order: Int?

    /// The facts about a slot.
    struct Slot {
        var status: UInt8
        /// The mark in the cell of its update token, 0 for none; nil if the cell has a token.
        var mark: UInt8? = 0
        var outcome: PushOutcomeNote?
        /// The number of recorded starts; nil if none is recorded.
        var notedStarts: Int?
        /// See `StartNote`.
        var notedOrder = 0
        /// True if an end waits for the Live Activity's update token.
        var hasPendingEnd = false
        /// The number of the start for another device that was selected and whose token this slot's device has now. Nil
        /// for a slot that is selected itself.
        var inheritedStart: Int?
    }

    enum Decision: Equatable {
        case notMeant
        case skip(SkipReason)
        /// The slot is started again, with this number of starts in all.
        case start(number: Int)
    }

    /// True if a slot with this delivery status may be selected once more is known of it. Nothing else need be read of
    /// the others.
    func reads(_ status: UInt8) -> Bool {
        switch wish.selection {
        // See `statusBefore`.
        case .failed, .unknown, .notSynced: considers(status) || status == DeliveryStatus.registered
        case .unsent, .targets, .leftOut, .healing: considers(status)
        }
    }

    /// True if the selection includes this delivery status.
    func considers(_ status: UInt8) -> Bool { wish.selection.evidence.concerns(status) }

    /// The state of a slot.
    /// - Parameter status: The delivery status before the slot was prepared.
    private func state(_ slot: Slot, _ status: UInt8) -> SlotState {
        let at = slot.outcome?.at ?? startedAt
        var state = SlotState(status: status, report: .init(mark: slot.mark), age: now.seconds - at.seconds)
        state.mayBeSilent = followsChannel
        state.isAwaited = slot.outcome?.failure == nil && !slot.hasPendingEnd
        return state
    }

    private func next(_ slot: Slot, _ status: UInt8) -> SlotStep {
        .next(wanted: .running, has: state(slot, status), evidence: wish.selection.evidence)
    }

    func decide(_ slot: Slot) -> Decision {
        var slot = slot
        if hasLostChannel, slot.mark == TokenPage.liveActivityShownMark { slot.mark = 0 }
        if let number = slot.inheritedStart { return decide(slot, inheriting: number) }
        let status = considers(slot.status) ? slot.status : RestartRules.statusBefore(slot) ?? slot.status
        guard considers(status) else { return .notMeant }
        // After a start to a list, a device that was not on it was not left out. But one with a recorded start was
        // being started again.
        if case .unsent = wish.selection, slot.status == DeliveryStatus.registered, !wasStartedWhole,
            slot.notedStarts == nil
        {
            return .notMeant
        }
        guard next(slot, status) == .start else {
            switch wish.selection {
            case .notSynced, .healing: return .notMeant
            case .unsent, .failed, .unknown, .targets, .leftOut: return .skip(.active)
            }
        }
        let starts = RestartRules.starts(status: slot.status, noted: slot.notedStarts)
        // The start in doubt counts, so one more start is allowed.
        let most = wish.maximumStarts + (isLeftInDoubtByHealing(slot) ? 1 : 0)
        return starts < most ? .start(number: starts + 1) : .skip(.startLimit)
    }

    /// The delivery status of a slot before it was prepared for a restart whose gateway was killed before it recorded
    /// the restart. A repeated call selects the same devices.
    private static func statusBefore(_ slot: Slot) -> UInt8? {
        guard slot.status == DeliveryStatus.registered, let outcome = slot.outcome else { return nil }
        let status = outcome.statusOfStart
        // The start before counts unless it was refused. A larger recorded number is of a start that was never sent.
        let starts = RestartRules.starts(status: status, noted: nil)
        return (slot.notedStarts ?? 0) > starts ? status : nil
    }

    private func isLeftInDoubtByHealing(_ slot: Slot) -> Bool {
        guard case .healing = wish.selection else { return false }
        return slot.status == DeliveryStatus.startUnknown && slot.mark == TokenPage.healingMark
    }

    /// The most starts that a device may have got. The last recorded one counts unless the device is known not to have
    /// got it. The first one is not recorded.
    static func starts(status: UInt8, noted: Int?) -> Int {
        max(0, (noted ?? 1) - (didNotGetLastStart(status) ? 1 : 0))
    }

    /// True if a device with this delivery status is known not to have got the last start.
    static func didNotGetLastStart(_ status: UInt8) -> Bool {
        [DeliveryStatus.registered, DeliveryStatus.startFailed, DeliveryStatus.startUnsent].contains(status)
    }
}

// A Live Activity is meant by its slot, and its phone may report for another login since. These are the rules for the
// present login of that phone.
extension RestartRules {
    /// True if the device that has the token now is started for a device that was meant and has lost the token.
    var startsNewOwners: Bool {
        switch wish.selection {
        case .unknown, .notSynced, .healing: true
        case .unsent, .failed, .targets, .leftOut: false
        }
    }

    /// True if the start may ignore the Live Activity that another login on the phone may have, because the restart
    /// selects it.
    func ignores(_ slot: Slot) -> Bool {
        guard DeliveryStatus.mayShowLiveActivity(slot.status) else { return false }
        // The start of a silent device may be in doubt.
        if case .notSynced(let age) = wish.selection {
            return state(slot, slot.status).isSilent(for: age.wholeSeconds)
        }
        return next(slot, slot.status) == .start
    }

    private func decide(_ slot: Slot, inheriting number: Int) -> Decision {
        guard DeliveryStatus.isMember(slot.status) else { return .skip(.notInSegment) }
        guard DeliveryStatus.isLive(slot.status) else { return .skip(.ended) }
        guard !state(slot, slot.status).isReported else { return .skip(.active) }
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

extension RestartWish.Selection {
    /// The reason for which a slot may be started.
    fileprivate var evidence: SlotEvidence {
        switch self {
        case .unsent: .unsent
        case .failed: .failed
        case .unknown: .unknown
        case .notSynced(let age): .notSynced(age.wholeSeconds)
        case .targets: .named
        case .leftOut: .leftOut
        case .healing: .search
        }
    }
}

extension PushOutcomeNote {
    /// The delivery status of a slot whose last push was a start with this outcome.
    var statusOfStart: UInt8 {
        switch failure {
        case nil: DeliveryStatus.startAccepted
        case PageOutcome.unknownReason: DeliveryStatus.startUnknown
        default: DeliveryStatus.startFailed
        }
    }
}
