public import Delivery
public import GatewayStore
public import LiveActivity
public import TimeCore

/// A start, update, end or restart that somebody asks for, before it is known whether the activity allows it.
public struct BroadcastRequest: Sendable {
    /// What is asked for.
    public enum Command: Sendable {
        case start, update, end
        /// A start for some of those whom the activity's start has left out.
        case restart(RestartWish)

        var lifecycle: ActivityCommand {
            switch self {
            case .start: .start
            case .restart: .restart
            case .update: .update
            case .end: .end
            }
        }
    }

    /// What the broadcast is called. Whoever repeats a request under the same id gets the broadcast of the first.
    public var id: UniqueID
    /// Whether it may have been recorded before under its id.
    public var isRepetition = false
    /// Whether the caller waits for its end.
    public var isAwaited = false
    /// The time at which a gateway received the request; nil for now. An update is superseded for devices that
    /// newer content was recorded for first.
    public var arrived: WallTime?
    /// True once the caller sends no more. A request that still waits to be recorded is dropped then.
    public var isCallerGone: @Sendable () -> Bool = { false }
    /// A start, update, end or restart.
    public var command: Command
    /// Who asks; an activity of another tenant is as good as none.
    public var tenantID: String
    /// Nil when the text given can be no activity's id.
    public var activityID: UniqueID?
    /// The activity's type as the caller knows it; nil when it need not know it.
    public var type: String?
    /// Nil for the whole segment.
    public var targets: [DeviceKey]?
    /// Makes the payload from the activity as it is found: its type and attributes belong to a start's content.
    public typealias Rendering = @Sendable (Activity) throws(Payload.AttributeTaken) -> Payload

    /// Makes what is sent.
    public var payload: Rendering
    /// The same of an update, which is what it is whatever the activity; nil of others.
    public var plainPayload: Payload?
    /// 5 or 10; nil for 10 while the activity's budget of such updates lasts, and 5 after that.
    public var priority: Int?
    /// Epoch seconds; nil for as long as suits the command.
    public var expiration: Int64?
    /// Whether an end is carried out that reaches nobody.
    public var force = false
    /// Whether an update to the whole segment is left out that shows what was sent last to all of it.
    public var skipsUnchanged = false
    /// Which request it is, for logs and traces.
    public var origin = BroadcastOrigin()
    /// The schedule that asks for this.
    public var schedule: Schedule?

    public init(
        _ command: Command, id: UniqueID = UniqueID.random(), tenantID: String, activityID: UniqueID?, type: String?,
        priority: Int?, payload: @escaping Rendering
    ) {
        self.command = command
        self.id = id
        self.tenantID = tenantID
        self.activityID = activityID
        self.type = type
        self.priority = priority
        self.payload = payload
    }
}

/// What a request came to.
public enum BroadcastResult: Sendable {
    /// It is recorded, and will be carried out.
    case recorded(BroadcastOrder)
    /// It was carried out, and has ended.
    case ended(BroadcastRecord)
    /// An activity that was never started has ended.
    case cancelled
    /// All of the devices addressed were passed over, and nothing changes.
    case nobody(SkipCounts)
    /// The whole segment was sent the same before, and nothing is sent: the updates of the running hour.
    case unchanged(updatesThisHour: Int)
}

/// Why a request is refused.
public enum BroadcastRefusal: Error, Sendable {
    case activity(ActivityRefusal)
    /// The activity is a topic's, which alone changes it.
    case ofTopic(TopicID)
    /// The start's attributes have a member where the activity's id goes.
    case attributeTaken(Payload.AttributeTaken)
    /// Bytes of the push, and how many the provider takes.
    case payloadTooLarge(Int, limit: Int, Cohort)
    /// None of the devices addressed has reported its update token; whether the start was a moment ago, so that some
    /// may at any moment.
    case notSynced(SkipCounts, isJustStarted: Bool)
    case nobodyEligible(SkipCounts)
    case overloaded
    /// This gateway cannot push, and others can.
    case leftToOthers
    /// A start of the activity is under way, and whom it leaves out is not known before it ends.
    case starting
    /// The activity is being changed by others all the time.
    case contended
    /// The schedule has been carried out, or cancelled, meanwhile.
    case scheduleGone

    /// The contract's code; nil where trying again later helps.
    public var code: String? {
        switch self {
        case .activity(.notFound): "NOT_FOUND"
        case .activity(.typeMismatch): "ACTIVITY_TYPE_MISMATCH"
        case .activity(.alreadyStarted): "ALREADY_STARTED"
        case .activity(.notStarted): "NOT_STARTED"
        case .ofTopic, .attributeTaken: "VALIDATION_FAILED"
        case .payloadTooLarge: "PAYLOAD_TOO_LARGE"
        case .notSynced(_, isJustStarted: let isJustStarted): isJustStarted ? nil : "DEVICE_NOT_SYNCED"
        case .nobodyEligible: "NO_ELIGIBLE_DEVICE"
        case .overloaded, .leftToOthers, .starting, .contended, .scheduleGone: nil
        }
    }
}
