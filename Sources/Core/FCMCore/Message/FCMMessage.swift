public import Delivery
public import LiveActivity
public import TimeCore

/// The request body that sends one broadcast to Android devices, except for the registration token. It is a data
/// message of FCM's HTTP v1 API (Google: "REST resource: projects.messages").
public struct FCMMessage: Hashable, Sendable {
    /// The event: a start, an update or an end.
    public let event: PushEvent
    /// The whole body without the token.
    public let body: [UInt8]
    /// The offset at which the caller inserts the JSON-escaped token. The quotes around it are part of the body.
    public let tokenOffset: Int

    /// The maximum size of `data` that FCM accepts; see `size`.
    public static let sizeLimit = 4_096
    /// The maximum time for which FCM keeps a message, in seconds: four weeks.
    public static let longestTimeToLive: Int64 = 2_419_200

    private static let head = #"{"message":{"token":""#

    /// Composes a broadcast's message. Returns nil if the content is not a payload, or over `sizeLimit`.
    /// - Parameters:
    ///   - now: The time from which FCM's time to live counts until the intent's expiration.
    ///   - collapsesUpdates: True if a later update without an alert replaces an earlier one that waits for the phone.
    ///     FCM limits collapsible messages to a device: 20 at once, then one in three minutes (Google: "Throttling and
    ///     scaling").
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
                    // FCM itself lowers the priority of messages that show nothing.
                    $0.field("priority", "HIGH")
                    $0.field("ttl", "\(timeToLive)s")
                }
            }
            if isValidatedOnly { $0.field("validate_only", true) }
        }
    }

    /// A message that FCM validates but does not deliver. With `nobody` as its token it tests the access token.
    public static let probe = FCMMessage(.update, timeToLive: 0, isValidatedOnly: true) {
        $0.field("live_activity_event", PushEvent.update.rawValue)
    }

    /// A registration token that belongs to no device.
    public static let nobody = Array("nobody".utf8)

    /// The size of a message's `data` in bytes as FCM counts it: the keys and the texts without JSON escapes. Returns
    /// nil if `Payload` did not compose the payload.
    public static func size(of payload: Payload, _ event: PushEvent, of activity: UniqueID) -> Int? {
        // All timestamps have ten digits.
        FCMData(event, of: activity, content: payload.bytes(timestamp: 1_000_000_000))?.size
    }

    /// Seconds from 0, for a single attempt, to `longestTimeToLive`.
    static func timeToLive(until expiration: Int64, now: WallTime) -> Int64 {
        guard expiration > now.seconds else { return 0 }
        let (left, overflow) = expiration.subtractingReportingOverflow(now.seconds)
        return overflow ? longestTimeToLive : min(left, longestTimeToLive)
    }
}
