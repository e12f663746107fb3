/// The limits of a tenant's use. An operator can override the defaults, which normal apps do not reach.
public struct TenantLimits: Equatable, Sendable {
    /// A kind of limit. Its `name` is used in the store, in replies and on the command line.
    public enum Limit: Int, CaseIterable, Sendable {
        case deviceRequests, userRequests, sdkRequests, newDevices, devicesPerUser, users, devices, openedActivities,
            openedActivitiesPerUser, appSchedules, appScheduleBytes, appSchedulesPerUser, appScheduleBytesPerUser,
            weight

        /// The name, in lowercase with underscores.
        public var name: String { row.name }
        /// The default; 0 for no limit.
        public var fallback: Int { row.fallback }
        /// The allowed values besides 0.
        public var range: ClosedRange<Int> { row.range }
        /// True if 0 is allowed, which switches the limit off.
        public var mayBeOff: Bool { row.mayBeOff }
        /// The description for operators.
        public var summary: String { row.summary }

        /// Returns nil if there is no limit of this name.
        public init?(name: String) {
            guard let limit = Limit.allCases.first(where: { $0.name == name }) else { return nil }
            self = limit
        }
    }

    /// The overrides by raw value; nil for the default.
    private var given: [Int?]
    /// The effective limits by raw value, which requests read.
    private var values: [Int]

    /// The defaults.
    public static let standard = TenantLimits()

    public init() {
        given = Limit.allCases.map { _ in nil }
        values = Limit.allCases.map(\.fallback)
    }

    /// The effective limit; 0 for none.
    public subscript(limit: Limit) -> Int { values[limit.rawValue] }

    /// True if an operator has set the limit.
    public func isSet(_ limit: Limit) -> Bool { given[limit.rawValue] != nil }

    /// Sets a limit, or restores its default for nil. A value out of range becomes the nearest allowed one.
    public mutating func set(_ limit: Limit, _ value: Int?) {
        let value = value.map {
            $0 <= 0 && limit.mayBeOff ? 0 : min(max($0, limit.range.lowerBound), limit.range.upperBound)
        }
        given[limit.rawValue] = value
        values[limit.rawValue] = value ?? limit.fallback
    }

    /// The stored form: the overrides as `name=value`, separated by commas.
    var text: String {
        Limit.allCases.compactMap { limit in given[limit.rawValue].map { "\(limit.name)=\($0)" } }.joined(
            separator: ",")
    }

    /// Parses the stored form. Unknown names are skipped.
    init(text: String) {
        self.init()
        for entry in text.split(separator: ",") {
            let parts = entry.split(separator: "=")
            guard parts.count == 2, let limit = Limit(name: String(parts[0])), let value = Int(parts[1]) else {
                continue
            }
            set(limit, value)
        }
    }
}
