/// The content of a push, from either provider, as an app decodes it.
package struct PushMessage: Sendable {
    package enum Event: String, Sendable {
        case start, update, end
    }

    package let event: Event
    package let timestamp: Int64
    /// The position of the app's type, with a start.
    let app: Int?
    /// The bytes of `attributes`, with a start.
    let attributes: [UInt8]
    /// The bytes of `content-state`; nil with an end that leaves the content as it is.
    let state: [UInt8]?
    /// The reasons why the content state does not fit the apps' types, by their position; nil where it fits.
    let mismatches: [String?]
    /// The broadcast channel that a start tells the phone to follow.
    let channel: String?
    /// `live_activity_id`, by which an Android app knows a Live Activity again.
    let name: String?
}

/// A push that no app decodes, with the reason.
package struct UndecodablePush: Error, Equatable, CustomStringConvertible {
    package let description: String
}
