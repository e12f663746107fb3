public import LiveActivity
public import TimeCore

/// A device's report that passed admission.
public struct DeviceReport: Sendable {
    /// A Live Activity, a change of the device, or a topic.
    public enum Content: Sendable {
        case sync(token: [UInt8]?, reference: ActivityReference, systemActivityID: String?)
        case change(DeviceChange)
        /// A request to follow the topic if true, or to stop following it if false.
        case follow(topic: String, Bool)
    }

    /// The number that the answer to this report carries.
    public let ticket: Int
    /// The tenant and its limits, from the report's key.
    public let admission: Admission
    /// The device that sent the report.
    public let device: DeviceKey
    /// The content of the report.
    public let content: Content
    /// The time at which the whole report was received.
    public let received: Reception

    /// The time at which a whole report was received, on two clocks.
    public struct Reception: Sendable {
        /// The time on the store's clock. The later of two reports takes precedence, in any order of processing.
        public let wallTime: WallTime
        /// Measures the report's waiting time, even across a suspension of the process.
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
