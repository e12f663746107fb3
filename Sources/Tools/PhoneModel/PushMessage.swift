/// The content of a push from either provider, decoded like an app does.
package struct PushMessage: Sendable {
    package enum Event: String, Sendable {
        case start, update, end
    }

    package let event: Event
    package let timestamp: Int64
    /// The index of the app's type; nil unless the push is a start.
    let app: Int?
    /// The bytes of `attributes` of a start.
    let attributes: [UInt8]
    /// The bytes of `content-state`; nil if an end keeps the content.
    let state: [UInt8]?
    /// The mismatches of the content state with the apps' types, by index; nil where it fits.
    let mismatches: [String?]
    /// The broadcast channel that a start makes the phone follow.
    let channel: String?
    /// The `live_activity_id` by which an Android app identifies a Live Activity.
    let name: String?
}

/// A push that no app can decode, with the reason.
package struct UndecodablePush: Error, Equatable, CustomStringConvertible {
    package let description: String
}
