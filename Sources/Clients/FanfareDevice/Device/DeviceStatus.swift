public import Foundation

/// How telling the gateway goes.
public enum DeliveryState: Hashable, Sendable {
    /// All is told.
    case idle
    /// Something is on its way, or about to be.
    case sending
    /// The gateway cannot be reached, or cannot serve; it is tried again in so many seconds.
    case waiting(seconds: TimeInterval)
    /// The gateway takes nothing from this device; it is tried again in so many seconds, and at the next launch.
    case paused(PauseReason, message: String, seconds: TimeInterval)
}

/// What an app may want to know, and to show to whoever looks after it.
public struct DeviceStatus: Hashable, Sendable {
    /// Whether what is known is kept over a relaunch.
    public enum Storage: Hashable, Sendable {
        /// It is.
        case kept
        /// What was kept meant nothing: it was put aside, and the library has begun anew.
        case setAside
        /// What is kept could not be read at launch, or cannot be written: this process works from memory.
        case unavailable
    }

    /// How telling the gateway goes.
    public let delivery: DeliveryState
    /// How many reports wait.
    public let waiting: Int
    /// What was refused for good: the last sixteen, oldest first.
    public let refusals: [Refusal]
    /// Whether the user allows Live Activities, as far as the system has said.
    public let allowsActivities: Bool
    /// Whether what is known is kept over a relaunch.
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
