import ArgumentParser
import LoadTest
import TimeCore

struct LoadtestBroadcastsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcasts",
        abstract: "Plays marketing systems that register, start, update and end activities.",
        discussion: """
            Calls are due by the clock, --rate a second, whatever becomes of those before. Segments are drawn from the \
            devices of --seed and --devices, which `fanfare loadtest devices --register-only` registers with the same \
            options. With an SDK key the devices of each activity report their tokens after its start; without one no \
            update reaches anybody, and ends are forced.

            Exits with 0 when every call succeeded, and with --mock every phone shows the right Live Activity; 1 when not; \
            130 after Ctrl-C.

            EXAMPLES:
              fanfare loadtest broadcasts --rate 5 --duration 1m --segment-size 100
              fanfare loadtest broadcasts --start-one --segment-size 10000 --json
            """)

    @Option(
        name: .customLong("api-key"),
        help: ArgumentHelp(
            "A tenant's API key, more than once for several systems; better in FANFARE_LOADTEST_API_KEY, parted by "
                + "commas.", valueName: "key"))
    var apiKeys: [String] = []

    @Option(
        name: .customLong("sdk-key"),
        help: ArgumentHelp(
            "As many SDK keys in the same order; better in FANFARE_LOADTEST_SDK_KEY.", valueName: "key"))
    var sdkKeys: [String] = []

    @Flag(name: .customLong("start-one"), help: "Register one activity, start it, and stop: the report has its id.")
    var startsOne = false

    @Option(help: "Calls that are due in a second.")
    var rate = 5.0

    @Option(help: "How calls are spread over time: poisson or uniform.")
    var arrivals = BroadcastLoad.Arrivals.poisson

    @Option(
        help: "How long calls are due; without it 30s, or as long as --calls takes.",
        transform: LoadtestOptions.duration)
    var duration: Duration?

    @Option(help: "How many calls are due at most.")
    var calls: Int?

    @Option(help: "How often each call is made.")
    var mix = CallMix.standard.description

    @Option(help: "Devices of an activity.")
    var segmentSize = 100

    @Option(help: "Of starts and updates, how many address a list of devices: 0 to 1.")
    var targetShare = 0.0

    @Option(help: "Devices of such a list.")
    var targets = 10

    @Option(help: "Of an activity's devices, how many report a token after its start: 0 to 1.")
    var syncShare = 1.0

    @Option(help: "The type of the activities.")
    var activityType = "LoadTestAttributes"

    @Option(help: "How long activities are registered for.", transform: LoadtestOptions.duration)
    var lifetime = Duration.seconds(3600)

    @Option(help: "Bytes by which each content state is made longer.")
    var contentBytes = 100

    @Option(help: "Activities that live at a time, at most.")
    var maxActivities = 1000

    @Option(help: "Calls under way at most.")
    var inFlight = 64

    @OptionGroup var options: LoadtestOptions

    private func load() throws -> BroadcastLoad {
        var load = BroadcastLoad()
        load.target = options.target
        load.apiKeys = LoadtestOptions.keys(apiKeys, variable: "FANFARE_LOADTEST_API_KEY")
        guard !load.apiKeys.isEmpty else {
            throw ValidationError("an API key is needed: set FANFARE_LOADTEST_API_KEY, or give --api-key")
        }
        load.sdkKeys = LoadtestOptions.keys(sdkKeys, variable: "FANFARE_LOADTEST_SDK_KEY")
        load.identitySecrets = load.sdkKeys.isEmpty ? [] : options.secrets
        load.startsOne = startsOne
        load.rate = rate
        load.arrivals = arrivals
        load.duration = duration?.interval ?? (calls == nil ? .seconds(30) : nil)
        load.calls = calls
        try LoadtestOptions.checked { load.mix = try CallMix(mix) }
        load.segmentSize = segmentSize
        load.targetShare = targetShare
        load.targets = targets
        load.syncShare = syncShare
        load.activityType = activityType
        load.lifetime = lifetime.interval
        load.contentBytes = contentBytes
        load.maximumActivities = maxActivities
        load.inFlight = inFlight
        try LoadtestOptions.checked(load.check)
        return load
    }

    func validate() throws {
        _ = try load()
    }

    func run() async throws {
        let load = try load()
        try await LoadtestSession(options: options).run { observer, control in
            try await LoadTest.broadcasts(load, observer: observer, control: control)
        }
    }
}

extension BroadcastLoad.Arrivals: ExpressibleByArgument {}
