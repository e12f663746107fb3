import GatewayStore
import LiveActivity
import TimeCore

extension RestartWish {
    /// The default age in seconds at which an accepted start without a sync counts as not synced.
    private static let usualAge: Int64 = 300
    /// No activity lives longer.
    private static let greatestAge: Int64 = 7 * 86_400
    private static let usualStarts: Int64 = 2
    private static let mostStarts: Int64 = 100

    /// Reads `devices` with what belongs to it, or takes the `target_devices` that were read.
    init(_ body: JSONValue, targets: [DeviceKey]?) throws {
        let age = try body.number("older_than", in: 0...RestartWish.greatestAge)
        let starts = try body.optionalObject("options")?
            .number("max_starts", path: "options.max_starts", in: 1...RestartWish.mostStarts)
        let selection: Selection
        switch (try body.optionalString("devices"), targets) {
        case ("unsent", nil): selection = .unsent
        case ("failed", nil): selection = .failed
        case ("unknown", nil): selection = .unknown
        case ("not_synced", nil): selection = .notSynced(olderThan: .seconds(Int(age ?? RestartWish.usualAge)))
        case (nil, let targets?): selection = .targets(targets)
        case (nil, nil): throw APIError(.validationFailed, "send devices or target_devices; one is required")
        case (_?, _?): throw APIError(.validationFailed, "send either devices or target_devices, not both")
        default: throw APIError.invalid("devices", "unsent, failed, unknown or not_synced")
        }
        if age != nil {
            guard case .notSynced = selection else {
                throw APIError(.validationFailed, "older_than is only for devices not_synced")
            }
        }
        self.init(selection, maximumStarts: Int(starts ?? RestartWish.usualStarts))
    }
}

extension JSONValue {
    /// A whole number, nil when there is none.
    func number(_ name: String, path: String? = nil, in range: ClosedRange<Int64>) throws -> Int64? {
        guard let value = try optional(name) else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw APIError.invalid(path ?? name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
