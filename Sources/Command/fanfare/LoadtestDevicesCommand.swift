import ArgumentParser
import LoadTest

struct LoadtestDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Simulates devices that register and report their tokens.",
        discussion: """
            --seed determines the devices, so several runs use the same devices. With --within each sync is due at a \
            fixed time, independent of earlier syncs. Without it each connection sends one sync after the other, as \
            fast as the gateway answers.

            Exits with 0 if every call succeeded, 1 if a call failed, 130 after Ctrl-C.

            EXAMPLES:
              fanfare loadtest devices --register-only --devices 10000
              fanfare loadtest devices --devices 10000 --activity-type MatchAttributes --within 60s
            """)

    @Option(
        help: ArgumentHelp(
            "The tenant's SDK key. Prefer FANFARE_LOADTEST_SDK_KEY, which the list of processes does not show.",
            valueName: "key"))
    var sdkKey: String?

    @Flag(help: "Register the devices and their push-to-start tokens first.")
    var register = false

    @Flag(help: "Register the devices and their push-to-start tokens, then exit.")
    var registerOnly = false

    @Option(name: .customLong("activity-id"), help: "Activity for which the devices report.")
    var activityID: String?

    @Option(help: "Report for the newest started activity of this type.")
    var activityType: String?

    @Option(help: "Time in which all syncs are sent, like 30s.", transform: LoadtestOptions.duration)
    var within: Duration?

    @Option(help: ArgumentHelp("Percentage of Android devices.", valueName: "percent"))
    var android = 0

    @Option(help: "Number of further tokens that each device reports after its first.")
    var rotations = 0

    @Option(help: "Maximum number of connections, and so of concurrent calls.")
    var connections = 64

    @OptionGroup var options: LoadtestOptions

    private func load() throws -> DeviceLoad {
        guard activityID == nil || activityType == nil else {
            throw ValidationError("--activity-id and --activity-type exclude each other")
        }
        guard !registerOnly || (activityID == nil && activityType == nil) else {
            throw ValidationError("--register-only sends no syncs; use --register")
        }
        var load = DeviceLoad()
        load.target = options.target
        let keys = LoadtestOptions.keys(sdkKey.map { [$0] } ?? [], variable: "FANFARE_LOADTEST_SDK_KEY")
        guard keys.count == 1 else {
            throw ValidationError(
                keys.isEmpty
                    ? "an SDK key is required: set FANFARE_LOADTEST_SDK_KEY or --sdk-key"
                    : "the devices belong to one tenant: give one SDK key, not \(keys.count)")
        }
        load.sdkKey = keys[0]
        load.identitySecret = try options.secret()
        load.registers = register || registerOnly
        load.activity = activityID.map { .id($0) } ?? activityType.map { .type($0) }
        load.rotations = rotations
        load.androidShare = android
        load.within = within?.interval
        load.connections = connections
        try LoadtestOptions.checked(load.check)
        return load
    }

    func validate() throws {
        _ = try load()
    }

    func run() async throws {
        let load = try load()
        try await LoadtestSession(options: options).run { observer, control in
            try await LoadTest.devices(load, observer: observer, control: control)
        }
    }
}
