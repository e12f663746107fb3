import Delivery
import LiveActivity

extension SyncMachine {
    /// A step of the driver. The state waits for its reply. Rare cases are indirect, so that the others are small.
    enum Action {
        /// Wait for the next reply.
        case wait
        /// Find the activity among those that are known.
        case find(UniqueID)
        /// Read the device's place, and the activity unless it is known.
        case lookUp(UniqueID, KnownActivity?)
        /// Search the owner of the Live Activity: also in places of other logins, and by the activities of a topic.
        indirect case search(KnownActivity, slot: UInt32?, isElsewhere: Bool, isNew: Bool)
        case readUser
        /// Write the token's cell. If the store keeps the order, read the activity's end and the device behind it.
        case write(Place)
        /// Read the activity's end and the device.
        case read(Place)
        indirect case ask(Question, Place)
        /// Go on as if the other login of the phone had reported the same.
        indirect case begin(as: DeviceKey, ActivityRecord, slot: UInt32)
        case finish(SyncEnd)
    }

    /// A step that few syncs need.
    enum Question {
        case markReached
        /// Records the name that iOS gave to the Live Activity.
        case name
        /// Records the event of a new token.
        case publish(sinceStart: Int?)
        /// Asks if the channel that the device follows is still there.
        case channel
        /// Asks if the record of an end is there. An end to some devices becomes pending before it is recorded.
        case broadcast(UniqueID)
        case endReason(UniqueID, SkipReason)
        /// Takes the token from the cell, with the reason for which the Live Activity has ended.
        case clear(SkipReason, EndReason?)
        case consent
        /// Records the report of an ended Live Activity that still shows as that of a running one.
        case showAgain(isOver: Bool)
        /// Moves the device to the band of its kind of route.
        case move(RouteKind)
        /// Finds an update that is under way to all and may have passed the new slot before its token was there. It was
        /// recorded while the device moved, or was known to a report that was cut off. At worst it comes twice.
        case coming
        /// Finds the newest update whose content is kept.
        case newestUpdate
        /// Asks if that update has met this token, or will.
        case hasMet(MissedUpdate)
    }

    enum Reply {
        case activity(UniqueID, KnownActivity?)
        case record(KnownActivity)
        case lookup(SyncLookup.Reply)
        case place(KnownActivity, slot: UInt32)
        /// Another owner than the device at a place of its own; nil for none.
        indirect case owner(ReportedPlace?)
        /// The reply to the write, and true if the reads were sent behind it.
        case written(Scripts.PutUpdateCellReply, areReadsSent: Bool)
        /// The broadcast that ended the activity; nil for none.
        case end(UniqueID?, round: Int)
        /// The device, and the round of the read; 0 for another one. It is nil for a device that was erased.
        case device(ReadDevice?, round: Int)
        case done
        case flag(Bool)
        case reason(EndReason?)
        case update(MissedUpdate?)
        indirect case move(EnvironmentMoves.Move?)
    }

    /// The outcomes of `put-update-cell.lua`.
    enum Outcome: Int {
        case notMember = -1, same, written, hasEnded, writtenAfterDismissal, elsewhere, hasMissedEnd, former
    }

    /// The state of the device.
    struct ReadDevice {
        var refusal: SkipReason?
        /// See `DeviceRecord.Stored.changedKind`.
        var changedKind: RouteKind?
        /// True if a push is known to have reached it before.
        var isReached = false
        /// The content of a cell with the registration token of an Android device.
        var registrationToken: [UInt8]?
    }
}
