public import Delivery
public import GatewayStore
public import LiveActivity
public import TimeCore

/// A requested start, update, end or restart, before the checks of the activity.
public struct BroadcastRequest: Sendable {
    /// The kind of request.
    public enum Command: Sendable {
        case start, update, end
        /// A start for selected devices of a started activity, as far as `RestartRules` allows.
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

    /// The id of the broadcast. A repetition with the same id gets the first request's broadcast.
    public var id: UniqueID
    /// True if it may have been recorded before under its id.
    public var isRepetition = false
    /// True if the caller waits for its end.
    public var isAwaited = false
    /// The time at which a gateway received the request; nil for now. An update is superseded for devices with newer
    /// content that was recorded first.
    public var arrived: WallTime?
    /// True once the caller sends no more. A request that is not recorded yet is then dropped.
    public var isCallerGone: @Sendable () -> Bool = { false }
    /// A start, update, end or restart.
    public var command: Command
    /// The tenant. Activities of other tenants count as missing.
    public var tenantID: String
    /// The activity; nil for text that is not an id.
    public var activityID: UniqueID?
    /// The activity's type; nil if the caller does not need it.
    public var type: String?
    /// The addressed devices; nil for the whole segment.
    public var targets: [DeviceKey]?
    /// Creates the payload for an activity, whose type and attributes are part of a start's content.
    public typealias Rendering = @Sendable (Activity) throws(Payload.AttributeTaken) -> Payload

    /// Creates the payload.
    public var payload: Rendering
    /// The priority 5 or 10; nil for 10 while the activity's budget lasts, and 5 after that.
    public var priority: Int?
    /// The expiration in epoch seconds; nil for the command's default.
    public var expiration: Int64?
    /// True if an end is carried out even if it reaches no device.
    public var force = false
    /// True if an update to the whole segment is skipped when it equals the last one.
    public var skipsUnchanged = false
    /// The origin of the request, for logs and traces.
    public var origin = BroadcastOrigin()
    /// The schedule that caused the request.
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

/// The result of an accepted request.
public enum BroadcastResult: Sendable {
    /// Recorded; gateways will carry it out.
    case recorded(BroadcastOrder)
    /// Carried out and finished.
    case ended(BroadcastRecord)
    /// An activity ended that never started.
    case cancelled
    /// All addressed devices were skipped, and nothing changed.
    case nobody(SkipCounts)
    /// Nothing was sent, because the whole segment has the same content. Counts the updates of this hour.
    case unchanged(updatesThisHour: Int)
}

/// The reason for which a request is refused.
public enum BroadcastRefusal: Error, Sendable {
    case activity(ActivityRefusal)
    /// The activity belongs to a topic, which alone changes it.
    case ofTopic(TopicID)
    /// The start's attributes have a member with the key of the activity's id.
    case attributeTaken(Payload.AttributeTaken)
    /// The payload has more bytes than the provider's limit.
    case payloadTooLarge(Int, limit: Int, Cohort)
    /// No addressed device has reported its update token. After a recent start, tokens may arrive at any moment.
    case notSynced(SkipCounts, isJustStarted: Bool)
    case nobodyEligible(SkipCounts)
    case overloaded
    /// This gateway cannot push, but others can.
    case leftToOthers
    /// A start of the activity is in progress, so the devices for a restart are not known yet.
    case starting
    /// The activity had changed at every try.
    case contended
    /// The schedule has been carried out or canceled.
    case scheduleGone

    /// Returns the activity if its state allows a command, and no topic drives it.
    /// - Parameter type: Must be that of the activity; nil for any.
    public static func allowed(
        _ record: ActivityRecord?, _ command: ActivityCommand, type: String?, _ tenantID: String, now: WallTime
    ) throws(BroadcastRefusal) -> ActivityRecord {
        let refusal = Lifecycle.refusal(
            of: command, for: record?.activity, tenantID: tenantID, type: type ?? record?.activity.type ?? "", now: now)
        if let refusal { throw .activity(refusal) }
        guard let record else { throw .activity(.notFound) }
        if let topic = record.topic { throw .ofTopic(topic) }
        return record
    }

    /// The code of the API; nil if a later try can succeed.
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
