import GatewayStore
import LiveActivity
import TimeCore

extension Healing {
    private static let limits: ClosedRange<Int64> = 1...10

    /// Parses `heal` and `heal_limit`; nil for `never`.
    init?(_ options: JSONValue) throws {
        let limit = try options.number("heal_limit", path: "options.heal_limit", in: Healing.limits)
        let word = try options.optionalString("heal", path: "options.heal") ?? "never"
        guard ["never", "dead_token"].contains(word) else {
            throw APIError.invalid("options.heal", "never or dead_token")
        }
        if word == "never" {
            guard limit == nil else {
                throw APIError(.validationFailed, "options.heal_limit is only for heal dead_token")
            }
            return nil
        }
        self.init(limit: Int(limit ?? 1))
    }
}
