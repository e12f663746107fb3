public import LiveActivity
public import TimeCore

/// A device's report that has been let in.
public struct DeviceReport: Sendable {
    /// What the device says.
    public enum Content: Sendable {
        case sync(token: [UInt8]?, reference: ActivityReference, systemActivityID: String?)
        case change(DeviceChange)
        /// The device's user follows a topic, or follows it no more.
        case follow(topic: String, Bool)
    }

    /// Names the report to whoever waits for its answer.
    public let ticket: Int
    /// What its key opens.
    public let admission: Admission
    /// Which device says it.
    public let device: DeviceKey
    /// What the device says.
    public let content: Content
    /// When it had come in whole.
    public let received: Reception

    /// When a report had come in whole.
    public struct Reception: Sendable {
        /// By the store's clock: of two reports the later one counts, whichever is carried out first.
        public let wallTime: WallTime
        /// Tells how long it has waited, also in a process that was stopped meanwhile.
        public let monotonicTime: MonotonicTime

        public init(wallTime: WallTime, monotonicTime: MonotonicTime) {
            self.wallTime = wallTime
            self.monotonicTime = monotonicTime
        }
    }

    public init(
        ticket: Int, admission: Admission, device: DeviceKey, content: Content, received: Reception
    ) {
        self.received = received
        self.ticket = ticket
        self.admission = admission
        self.device = device
        self.content = content
    }
}
