import ArgumentParser
import LoadTest
import TimeCore

struct LoadtestBroadcastsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcasts",
        abstract: "Simulates marketing systems that register, start, update and end activities.",
        discussion: """
            Sends --rate calls a second by the clock, independent of earlier calls. Segments are drawn from the \
            devices of --seed and --devices; register them first with `fanfare loadtest devices --register-only` and \
            the same options. With an SDK key the devices of each activity report their tokens after its start. \
            Without an SDK key no update reaches a device, and ends are forced.

            Exits with 0 if every call succeeded and, with --mock, every phone shows the right Live Activity; \
            otherwise with 1; after Ctrl-C with 130.

            EXAMPLES:
              fanfare loadtest broadcasts --rate 5 --duration 1m --segment-size 100
              fanfare loadtest broadcasts --start-one --segment-size 10000 --json
            """)

    @Option(
        name: .customLong("api-key"),
        help: ArgumentHelp(
            "A tenant's API key; repeat the option for several systems. Prefer FANFARE_LOADTEST_API_KEY, separated by "
                + "commas.", valueName: "key"))
    var apiKeys: [String] = []

    @Option(
        name: .customLong("sdk-key"),
        help: ArgumentHelp(
            "An SDK key for each API key, in the same order. Prefer FANFARE_LOADTEST_SDK_KEY.", valueName: "key"))
    var sdkKeys: [String] = []

    @Flag(name: .customLong("start-one"), help: "Register and start one activity, then exit. The report has its id.")
    var startsOne = false

    @Option(help: "Calls a second.")
    var rate = 5.0

    @Option(help: "Distribution of calls over time: poisson or uniform.")
    var arrivals = BroadcastLoad.Arrivals.poisson

    @Option(
        help: "Duration of the load. Default: 30s, or until --calls are sent.",
        transform: LoadtestOptions.duration)
    var duration: Duration?

    @Option(help: "Maximum number of calls.")
    var calls: Int?

    @Option(help: "Weights of the calls.")
    var mix = CallMix.standard.description

    @Option(help: "Number of devices in an activity.")
    var segmentSize = 100

    @Option(help: "Share of starts and updates that name target devices, 0 to 1.")
    var targetShare = 0.0

    @Option(help: "Number of target devices in these calls.")
    var targets = 10

    @Option(help: "Share of an activity's devices that report a token after its start, 0 to 1.")
    var syncShare = 1.0

    @Option(help: "Type of the activities.")
    var activityType = "LoadTestAttributes"

    @Option(help: "Time until an activity's ends_at.", transform: LoadtestOptions.duration)
    var lifetime = Duration.seconds(3600)

    @Option(help: "Extra bytes in each content state.")
    var contentBytes = 100

    @Option(help: "Maximum number of concurrent activities.")
    var maxActivities = 1000

    @Option(help: "Maximum number of concurrent calls.")
    var inFlight = 64

    @OptionGroup var options: LoadtestOptions

    private func load() throws -> BroadcastLoad {
        var load = BroadcastLoad()
        load.target = options.target
        load.apiKeys = LoadtestOptions.keys(apiKeys, variable: "FANFARE_LOADTEST_API_KEY")
        guard !load.apiKeys.isEmpty else {
            throw ValidationError("an API key is required: set FANFARE_LOADTEST_API_KEY or --api-key")
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
