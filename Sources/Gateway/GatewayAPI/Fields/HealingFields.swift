import GatewayStore
import LiveActivity
import TimeCore

extension Healing {
    /// The allowed values of `heal_after` in seconds. Before a user has allowed a Live Activity it is silent too, so
    /// the minimum is a minute.
    private static let silences: ClosedRange<Int64> = 60...86_400
    private static let limits: ClosedRange<Int64> = 1...10

    /// Parses `heal` and its parameters; nil for `never`.
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
