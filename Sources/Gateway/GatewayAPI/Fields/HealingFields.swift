import GatewayStore
import LiveActivity
import TimeCore

extension Healing {
    /// A Live Activity that its user has not allowed yet says nothing either, so nobody is silent before a minute is
    /// over.
    private static let silences: ClosedRange<Int64> = 60...86_400
    private static let limits: ClosedRange<Int64> = 1...10

    /// Reads `heal` with what belongs to it; nil for `never`.
    init?(_ options: JSONValue) throws {
        let silence = try options.number("heal_after", path: "options.heal_after", in: Healing.silences)
        let limit = try options.number("heal_limit", path: "options.heal_limit", in: Healing.limits)
        let word = try options.optionalString("heal", path: "options.heal") ?? "never"
        guard ["never", "dead_token", "silent"].contains(word) else {
            throw APIError.invalid("options.heal", "never, dead_token or silent")
        }
        if word == "silent" {
            guard silence != nil else {
                throw APIError(
                    .validationFailed, "options.heal_after is required with heal silent and must be a number of seconds"
                )
            }
        } else if silence != nil {
            throw APIError(.validationFailed, "options.heal_after is only for heal silent")
        }
        if word == "never" {
            guard limit == nil else {
                throw APIError(.validationFailed, "options.heal_limit is only for heal dead_token and silent")
            }
            return nil
        }
        self.init(silence: silence.map { .seconds(Int($0)) }, limit: Int(limit ?? 1))
    }
}
