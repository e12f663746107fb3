/// How much a tenant may use. Every limit has a default that an honest app does not meet; an operator sets others for a
/// tenant.
public struct TenantLimits: Equatable, Sendable {
    /// What is limited. `name` is what the limit is called in the store, in replies and on the command line.
    public enum Limit: Int, CaseIterable, Sendable {
        case deviceRequests, userRequests, sdkRequests, newDevices, devicesPerUser, users, devices, openedActivities,
            openedActivitiesPerUser, appSchedules, appScheduleBytes, appSchedulesPerUser, appScheduleBytesPerUser,
            weight

        /// Its name, in small letters with underscores.
        public var name: String { row.name }
        /// What holds unless an operator has set another value; 0: nothing is limited.
        public var fallback: Int { row.fallback }
        /// The values that it may have, but for 0.
        public var range: ClosedRange<Int> { row.range }
        /// Whether it may be switched off, which is the value 0.
        public var mayBeOff: Bool { row.mayBeOff }
        /// What it limits, for people.
        public var summary: String { row.summary }

        /// The limit of this name; nil when there is none.
        public init?(name: String) {
            guard let limit = Limit.allCases.first(where: { $0.name == name }) else { return nil }
            self = limit
        }
    }

    /// By the limits' raw values; nil where the default holds.
    private var given: [Int?]
    /// The same with the defaults in their places, which is what requests read.
    private var values: [Int]

    /// Nothing but defaults.
    public static let standard = TenantLimits()

    public init() {
        given = Limit.allCases.map { _ in nil }
        values = Limit.allCases.map(\.fallback)
    }

    /// What holds; 0 when nothing is limited.
    public subscript(limit: Limit) -> Int { values[limit.rawValue] }

    /// Whether an operator has set it.
    public func isSet(_ limit: Limit) -> Bool { given[limit.rawValue] != nil }

    /// Sets a limit, or goes back to the default with nil. A value that the limit may not have is taken for the
    /// nearest.
    public mutating func set(_ limit: Limit, _ value: Int?) {
        let value = value.map {
            $0 <= 0 && limit.mayBeOff ? 0 : min(max($0, limit.range.lowerBound), limit.range.upperBound)
        }
        given[limit.rawValue] = value
        values[limit.rawValue] = value ?? limit.fallback
    }

    /// As it stands with a tenant's keys: what an operator has set, `name=value`, with commas between them.
    var text: String {
        Limit.allCases.compactMap { limit in given[limit.rawValue].map { "\(limit.name)=\($0)" } }.joined(
            separator: ",")
    }

    /// Names that this version does not know are passed over.
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
