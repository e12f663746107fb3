import ArgumentParser
import GatewayStore
import LiveActivity

struct TenantSetLimitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-limits",
        abstract: "Sets the limits of a tenant.",
        discussion: """
            `default` restores the default of a limit; `off` removes a limit that can be removed. Other limits stay \
            unchanged. A change applies to customers at once and to devices within a second. `fanfare tenant show` \
            lists the limits in force.

            EXAMPLES:
              fanfare tenant set-limits shop --sdk-requests-per-minute 300000
              fanfare tenant set-limits shop --devices 5000000 --users off
              fanfare tenant set-limits shop --devices-per-user default
            """)

    @OptionGroup var tenant: TenantArgument

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.sdkRequests))
    var sdkRequestsPerMinute: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.userRequests))
    var userSdkRequestsPerMinute: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.deviceRequests))
    var deviceSdkRequestsPerMinute: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.newDevices))
    var newDevicesPerMinute: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.devicesPerUser))
    var devicesPerUser: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.users))
    var users: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.devices))
    var devices: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.openedActivities))
    var openedActivities: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.openedActivitiesPerUser))
    var openedActivitiesPerUser: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.appSchedules))
    var appSchedules: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.appScheduleBytes))
    var appScheduleBytes: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.appSchedulesPerUser))
    var appSchedulesPerUser: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.appScheduleBytesPerUser))
    var appScheduleBytesPerUser: LimitText?

    @Option(parsing: .unconditional, help: TenantSetLimitsCommand.help(.weight))
    var weight: LimitText?

    @OptionGroup var options: ConfigurationOptions

    private var given: [(limit: TenantLimits.Limit, text: LimitText)] {
        let texts: [(TenantLimits.Limit, LimitText?)] = [
            (.sdkRequests, sdkRequestsPerMinute), (.userRequests, userSdkRequestsPerMinute),
            (.deviceRequests, deviceSdkRequestsPerMinute), (.newDevices, newDevicesPerMinute),
            (.devicesPerUser, devicesPerUser), (.users, users), (.devices, devices),
            (.openedActivities, openedActivities), (.openedActivitiesPerUser, openedActivitiesPerUser),
            (.appSchedules, appSchedules), (.appScheduleBytes, appScheduleBytes),
            (.appSchedulesPerUser, appSchedulesPerUser), (.appScheduleBytesPerUser, appScheduleBytesPerUser),
            (.weight, weight),
        ]
        return texts.compactMap { limit, text in text.map { (limit, $0) } }
    }

    private static func help(_ limit: TenantLimits.Limit) -> ArgumentHelp {
        let fallback = limit.fallback == 0 ? "off" : "\(limit.fallback)"
        let summary = limit.summary.prefix(1).uppercased() + limit.summary.dropFirst()
        let range = "from \(limit.range.lowerBound) to \(limit.range.upperBound)"
        return ArgumentHelp(
            "\(summary), \(range) (default: \(fallback)).", valueName: limit.mayBeOff ? "n|off|default" : "n|default")
    }

    func validate() throws {
        for (limit, text) in given { try text.check(limit) }
    }

    func run() async throws {
        // An unknown option must be refused by its name, so this check is not part of `validate`.
        guard !given.isEmpty else { throw ValidationError("name at least one limit; --help lists all limits") }
        let found = try await StoreAccess.changing(try options.load(), "tenant set-limits") { store, change in
            let found = try await tenant.find(in: store, noting: &change).tenant
            let words = given.map { "\($0.limit.name)=\($0.text.words)" }.joined(separator: ",")
            change.object = words
            _ = try await store.tenants.setTenant(found.id, limits: given.map { ($0.limit, $0.text.value) })
            return try await store.tenants.tenant(found.id)?.tenant ?? found
        }
        print("limits of tenant \(found.id) (\(found.name))")
        for (limit, _) in given { print("  \(found.limits.line(limit))") }
    }
}

/// A limit as it is given on the command line.
enum LimitText: ExpressibleByArgument {
    case number(Int)
    case off, standard

    init?(argument: String) {
        switch argument {
        case "off": self = .off
        case "default": self = .standard
        default:
            guard let number = Int(argument) else { return nil }
            self = .number(number)
        }
    }

    /// Nil: the default.
    var value: Int? {
        switch self {
        case .number(let number): number
        case .off: 0
        case .standard: nil
        }
    }

    /// The text of the command line.
    var words: String {
        switch self {
        case .number(let number): "\(number)"
        case .off: "off"
        case .standard: "default"
        }
    }

    func check(_ limit: TenantLimits.Limit) throws {
        let isSane =
            switch self {
            case .number(let number): limit.range.contains(number)
            case .off: limit.mayBeOff
            case .standard: true
            }
        guard !isSane else { return }
        let option = limit.name.replacing("_", with: "-")
        throw ValidationError(
            """
            --\(option) must be a number from \(limit.range.lowerBound) to \(limit.range.upperBound), \
            \(limit.mayBeOff ? "`off` " : "")or `default` (\(limit.fallback == 0 ? "off" : "\(limit.fallback)"))
            """)
    }
}

extension TenantLimits {
    /// A limit as people read it.
    func line(_ limit: Limit) -> String {
        let value = self[limit] == 0 ? "off" : "\(self[limit])"
        return "\(limit.name): \(value)\(isSet(limit) ? "" : " (default)")"
    }
}
