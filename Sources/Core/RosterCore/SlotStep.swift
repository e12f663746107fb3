/// The state that the customer, or the user who follows a topic, wants for one device.
public enum WantedState: CaseIterable, Sendable {
    /// A Live Activity with the newest content.
    case running
    /// None. The activity or this Live Activity has ended.
    case ended
}

/// The reason to decide about a device.
public enum SlotEvidence: Equatable, Sendable {
    /// The device reports that its Live Activity is there.
    /// - Parameter hasMissed: True if the reported token has missed the newest update, or the end.
    case report(hasMissed: Bool)
    /// The gateway searches for Live Activities that are lost.
    case search
    /// The user begins or ceases to follow the topic, or a search has found the follower.
    case follower
    /// A start that has ended sent nothing to the device, which became known only later.
    case leftOut
    /// The customer asks for devices to which nothing was sent, whose start was refused, or whose start is in doubt.
    case unsent, failed, unknown
    /// The customer asks for devices that have been silent for at least this many seconds.
    case notSynced(Int64)
    /// The customer names the device.
    case named

    /// True if a device with this delivery status may be started for this reason.
    public func concerns(_ status: UInt8) -> Bool {
        switch self {
        case .report: false
        case .search: DeliveryStatus.isLive(status)
        case .follower, .named: DeliveryStatus.isMember(status)
        case .leftOut: status == DeliveryStatus.startUnsent
        case .unsent: status == DeliveryStatus.registered || status == DeliveryStatus.startUnsent
        case .failed: status == DeliveryStatus.startFailed
        case .unknown: status == DeliveryStatus.startUnknown
        case .notSynced: status == DeliveryStatus.startAccepted
        }
    }
}

/// The push that brings one device of an activity up to date. `docs/lives.md` has the table.
public enum SlotStep: Sendable {
    case nothing, start, update, end

    /// The seconds after the refusal of a dead update token after which the Live Activity counts as lost. Because iOS
    /// rotates tokens, an app reports the new one seconds after the former one is dead.
    public static let grace: Int64 = 30
    /// The seconds of silence after which a device in doubt by healing is started again. The device reported a Live
    /// Activity before. With the start it would report again.
    public static let doubt: Int64 = 120
    /// The seconds after an accepted start for which a device that is named is left alone. Its app needs time to
    /// report.
    public static let reportTime: Int64 = 10

    /// Decides for one device. `find-lost.lua` states the rules of `search` and `follower` for pages of devices.
    public static func next(wanted: WantedState, has: SlotState, evidence: SlotEvidence) -> SlotStep {
        switch (wanted, evidence) {
        case (.ended, .report(let hasMissed)):
            // Without a token the end waits. An ended Live Activity may report for a while, until it leaves the screen.
            return has.report == .token && (hasMissed || DeliveryStatus.isLive(has.status)) ? .end : .nothing
        case (.ended, .follower): return DeliveryStatus.isLive(has.status) ? .end : .nothing
        case (.ended, _): return .nothing
        case (.running, .report(let hasMissed)):
            return hasMissed && has.report == .token && has.isReported ? .update : .nothing
        case (.running, _):
            guard evidence.concerns(has.status), !has.isReported, !has.isBeingStarted else { return .nothing }
            return starts(has, evidence) ? .start : .nothing
        }
    }

    /// True if a device is started that is not known to have its Live Activity, and whose delivery status fits.
    private static func starts(_ has: SlotState, _ evidence: SlotEvidence) -> Bool {
        switch evidence {
        case .report: false
        case .leftOut, .unsent, .failed, .unknown: true
        case .notSynced(let age): has.isSilent(for: age)
        case .named:
            has.status != DeliveryStatus.startAccepted || !has.isAwaited || has.age >= reportTime
                || has.report != .none && has.report != .noneSinceHealing
        case .search, .follower:
            if DeliveryStatus.isLive(has.status), has.report == .deadToken {
                has.age >= grace
            } else if has.status == DeliveryStatus.startAccepted {
                false
            } else if evidence == .follower {
                has.status != DeliveryStatus.startUnknown
            } else if has.report == .noneSinceHealing {
                // Healing has chosen the device.
                switch has.status {
                case DeliveryStatus.startUnknown: has.isSilent(for: doubt)
                case DeliveryStatus.startFailed: false
                default: true
                }
            } else {
                false
            }
        }
    }
}
