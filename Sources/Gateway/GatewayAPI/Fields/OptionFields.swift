import LiveActivity
import TimeCore

/// `options` of a start, update or end.
struct BroadcastOptions {
    var force = false
    var skipsUnchanged = false
    var priority: Int?
    /// Epoch seconds.
    var expiration: Int64?
    var presentation = PresentationOptions()

    init(_ body: JSONValue) throws {
        guard let options = try body.optionalObject("options") else { return }
        force = try options.optionalBool("force", path: "options.force") ?? false
        skipsUnchanged = try options.optionalBool("skip_unchanged", path: "options.skip_unchanged") ?? false
        if let value = try options.optional("priority") {
            guard value.integer == 5 || value.integer == 10 else {
                throw APIError.invalid("options.priority", "5 or 10")
            }
            priority = value.integer.map { Int($0) }
        }
        expiration = try BroadcastOptions.date(options, "expiration")
        presentation.staleDate = try BroadcastOptions.date(options, "stale_date")
        presentation.dismissalDate = try BroadcastOptions.date(options, "dismissal_date")
        if let value = try options.optional("relevance_score") {
            guard value.double != nil else { throw APIError.invalid("options.relevance_score", "a 64-bit number") }
            presentation.relevanceScore = value.slice
        }
        if let value = try options.optional("sound") {
            guard value.kind == .string, !value.isBlank else {
                throw APIError.invalid("options.sound", "the name of a sound file in the app, or default")
            }
            presentation.sound = value.slice
        }
    }

    /// Refuses a sound without an alert, because the sound is part of it.
    func requireAlert(_ content: Content?) throws {
        guard presentation.sound != nil, content?.hasAlert != true else { return }
        throw APIError(.validationFailed, "options.sound requires an alert: a title or a message")
    }

    /// Refuses content that expires before it can be sent. With an `expiration` of 0 the provider tries once.
    func requireFresh(at time: WallTime) throws {
        guard let expiration, expiration != 0, expiration <= time.seconds else { return }
        throw APIError.invalid("options.expiration", "later than the send time of the content (\(time.rfc3339)), or 0")
    }

    /// Parses epoch seconds, or a time of RFC 3339.
    private static func date(_ options: JSONValue, _ name: String) throws -> Int64? {
        guard let value = try options.optional(name) else { return nil }
        // The maximum of ten digits is in the year 2286.
        if let seconds = value.integer, (0...9_999_999_999).contains(seconds) { return seconds }
        if let time = value.string.flatMap(WallTime.init(rfc3339:)), time.seconds >= 0 { return time.seconds }
        throw APIError.invalid("options.\(name)", "epoch seconds or an RFC 3339 time")
    }
}
