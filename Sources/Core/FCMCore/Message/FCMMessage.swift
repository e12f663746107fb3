public import Delivery
public import LiveActivity
public import TimeCore

/// The body of the requests that send one broadcast to Android devices: a data message of FCM's HTTP v1 API (Google:
/// "REST resource: projects.messages") with one hole, where the registration token goes.
public struct FCMMessage: Hashable, Sendable {
    /// What it does to the Live Activity.
    public let event: PushEvent
    /// The whole body but for the token.
    public let body: [UInt8]
    /// The token goes in front of the byte at this offset, between quotes that are there: escaped as JSON wants it by
    /// whoever puts it in.
    public let tokenOffset: Int

    /// The most bytes of `data` that FCM takes; see `size`.
    public static let sizeLimit = 4_096
    /// The longest time for which FCM keeps a message, in seconds: four weeks.
    public static let longestTimeToLive: Int64 = 2_419_200

    private static let head = #"{"message":{"token":""#

    /// What a broadcast has to say. Nil when its content is no payload, or over `sizeLimit`.
    /// - Parameters:
    ///   - now: FCM is told for how long the message is worth keeping, and the intent says until when.
    ///   - collapsesUpdates: whether a later update without an alert takes the place of an earlier one that still waits
    ///     for the phone. FCM sends a device few of such messages: 20 at once, then one in three minutes (Google:
    ///     "Throttling and scaling").
    public init?(_ intent: Intent, now: WallTime, collapsesUpdates: Bool = false) {
        guard let data = FCMData(intent.event, of: intent.activity, content: intent.content),
            data.size <= Self.sizeLimit
        else { return nil }
        let isCollapsible = collapsesUpdates && intent.event == .update && !data.hasAlert
        self.init(
            intent.event, timeToLive: Self.timeToLive(until: intent.expiration, now: now),
            collapseKey: isCollapsible ? intent.activity.description : nil
        ) { data.write(to: &$0) }
    }

    private init(
        _ event: PushEvent, timeToLive: Int64, collapseKey: String? = nil, isValidatedOnly: Bool = false,
        data: (inout JSONObjectWriter) -> Void
    ) {
        self.event = event
        tokenOffset = Self.head.utf8.count
        body = JSONWriter.object {
            $0.object("message") {
                $0.field("token", "")
                $0.object("data", data)
                $0.object("android") {
                    $0.field("collapse_key", collapseKey)
                    // FCM itself lowers the priority of what shows nothing.
                    $0.field("priority", "HIGH")
                    $0.field("ttl", "\(timeToLive)s")
                }
            }
            if isValidatedOnly { $0.field("validate_only", true) }
        }
    }

    /// A message that FCM checks and does not deliver: with `nobody` for a token it tells whether the access token is
    /// taken.
    public static let probe = FCMMessage(.update, timeToLive: 0, isValidatedOnly: true) {
        $0.field("live_activity_event", PushEvent.update.rawValue)
    }

    /// A registration token that no device has.
    public static let nobody = Array("nobody".utf8)

    /// How many bytes the `data` of a message with this payload has as FCM counts them: the keys, and the texts without
    /// what JSON needs to carry them. Nothing is composed. Nil when it is no payload as `Payload` composes it.
    public static func size(of payload: Payload, _ event: PushEvent, of activity: UniqueID) -> Int? {
        // All timestamps have ten digits.
        FCMData(event, of: activity, content: payload.bytes(timestamp: 1_000_000_000))?.size
    }

    /// Seconds from 0, for a single try, to `longestTimeToLive`.
    static func timeToLive(until expiration: Int64, now: WallTime) -> Int64 {
        guard expiration > now.seconds else { return 0 }
        let (left, overflow) = expiration.subtractingReportingOverflow(now.seconds)
        return overflow ? longestTimeToLive : min(left, longestTimeToLive)
    }
}
