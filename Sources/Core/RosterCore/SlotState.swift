/// The state of one device's Live Activity, as far as the store knows it.
public struct SlotState: Equatable, Sendable {
    /// The newest report of the Live Activity, as the slot's update cell shows it.
    public enum Report: CaseIterable, Sendable {
        /// None since the start.
        case none
        /// None since a start by healing.
        case noneSinceHealing
        /// An update token.
        case token
        /// The Live Activity is there without a token.
        case shown
        /// A token that the provider has called dead since.
        case deadToken
        /// Another cell without a token, for example that of a user who refuses pushes.
        case other

        /// - Parameter mark: The byte in place of a token; nil if the cell has a token.
        public init(mark: UInt8?) {
            switch mark {
            case nil: self = .token
            case 0: self = .none
            case TokenPage.healingMark: self = .noneSinceHealing
            case TokenPage.liveActivityShownMark: self = .shown
            case TokenPage.deadTokenMark: self = .deadToken
            default: self = .other
            }
        }
    }

    /// See `DeliveryStatus`.
    public var status: UInt8
    /// The newest report.
    public var report: Report
    /// The seconds since the outcome of the last push, or since the activity's start if that outcome is not known.
    public var age: Int64
    /// True if the device follows a channel, so that it need not report.
    public var mayBeSilent = false
    /// True if a report may be about to come: the last push was accepted, and no end waits for the report.
    public var isAwaited = false
    /// True if a start that is under way may yet reach the device.
    public var isBeingStarted = false

    public init(status: UInt8, report: Report, age: Int64 = 0) {
        self.status = status
        self.report = report
        self.age = age
    }

    /// True if the device has reported the present Live Activity, which proves the start. Reports without a token and a
    /// dead token say nothing about a Live Activity that has ended.
    public var isReported: Bool { DeliveryStatus.isLive(status) && (report == .token || report == .shown) }

    /// True if the device may show a Live Activity.
    public var mayShow: Bool { isReported || DeliveryStatus.mayShowLiveActivity(status) && report != .deadToken }

    /// True if the device has reported nothing since its start, which is at least this many seconds ago.
    public func isSilent(for seconds: Int64) -> Bool {
        !mayBeSilent && (report == .none || report == .noneSinceHealing) && age >= seconds
    }
}
