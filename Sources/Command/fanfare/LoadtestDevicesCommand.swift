import ArgumentParser
import LoadTest

struct LoadtestDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Plays devices: registers them, and lets all report a token within a time.",
        discussion: """
            The devices follow from --seed, so that several runs meet the same ones. With --within each sync has a time \
            at which it is due, whatever becomes of those before; without it each connection sends one sync after the \
            other, as fast as they are answered.

            Exits with 0 when every call succeeded, 1 when one failed, 130 after Ctrl-C.

            EXAMPLES:
              fanfare loadtest devices --register-only --devices 10000
              fanfare loadtest devices --devices 10000 --activity-type MatchAttributes --within 60s
            """)

    @Option(
        help: ArgumentHelp(
            "The tenant's SDK key; better in FANFARE_LOADTEST_SDK_KEY, where no list of processes shows it.",
            valueName: "key"))
    var sdkKey: String?

    @Flag(help: "Register the devices and their push-to-start tokens first.")
    var register = false

    @Flag(help: "Register the devices and their push-to-start tokens, and nothing else.")
    var registerOnly = false

    @Option(name: .customLong("activity-id"), help: "The activity that the devices report for.")
    var activityID: String?

    @Option(help: "Report for the newest started activity of this type instead.")
    var activityType: String?

    @Option(help: "All syncs are due within this time, such as 30s.", transform: LoadtestOptions.duration)
    var within: Duration?

    @Option(help: ArgumentHelp("Of a hundred devices so many are Android's.", valueName: "percent"))
    var android = 0

    @Option(help: "How many times each device reports another token after its first.")
    var rotations = 0

    @Option(help: "Connections, and so calls under way, at most.")
    var connections = 64

    @OptionGroup var options: LoadtestOptions

    private func load() throws -> DeviceLoad {
        guard activityID == nil || activityType == nil else {
            throw ValidationError("--activity-id and --activity-type cannot be given both")
        }
        guard !registerOnly || (activityID == nil && activityType == nil) else {
            throw ValidationError("--register-only makes no syncs; --register does both")
        }
        var load = DeviceLoad()
        load.target = options.target
        let keys = LoadtestOptions.keys(sdkKey.map { [$0] } ?? [], variable: "FANFARE_LOADTEST_SDK_KEY")
        guard keys.count == 1 else {
            throw ValidationError(
                keys.isEmpty
                    ? "an SDK key is needed: set FANFARE_LOADTEST_SDK_KEY, or give --sdk-key"
                    : "devices are of one tenant: one SDK key is needed, not \(keys.count)")
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
