public import Foundation

/// The progress of reporting to the gateway.
public enum DeliveryState: Hashable, Sendable {
    /// No report is waiting.
    case idle
    /// A report is being sent or is due.
    case sending
    /// The gateway is unreachable or unavailable. The next try is in this number of seconds.
    case waiting(seconds: TimeInterval)
    /// The gateway accepts nothing from this device. The next try is in this number of seconds, or at the next launch.
    case paused(PauseReason, message: String, seconds: TimeInterval)
}

/// The status for display and diagnosis.
public struct DeviceStatus: Hashable, Sendable {
    /// The state of the stored data.
    public enum Storage: Hashable, Sendable {
        /// The data survives a relaunch.
        case kept
        /// The stored data was unreadable. It was set aside, and the library started without it.
        case setAside
        /// The stored data could not be read at launch or cannot be written. This process works from memory.
        case unavailable
    }

    /// The progress of reporting.
    public let delivery: DeliveryState
    /// The number of waiting reports.
    public let waiting: Int
    /// The last sixteen permanent refusals, oldest first.
    public let refusals: [Refusal]
    /// True if the user allows Live Activities, as last reported by the system.
    public let allowsActivities: Bool
    /// The state of the stored data.
    public let storage: Storage
}

extension DeviceMachine {
    func deliveryState(at now: Moment) -> DeliveryState {
        guard !queue.waiting.isEmpty else { return .idle }
        if let hold = queue.hold, case .paused(let reason, let message) = hold.cause, hold.wait.seconds > 0 {
            return .paused(reason, message: message, seconds: hold.wait.left(at: now).rounded(.up))
        }
        if queue.underWay == nil, let pause = queue.pause(at: now), pause > 0 {
            return .waiting(seconds: pause.rounded(.up))
        }
        return .sending
    }
}
