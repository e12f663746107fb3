import ArgumentParser
import Foundation
import LoadTest

struct LoadtestTopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Simulates a match day: devices follow topics that go live, have goals, and end.",
        discussion: """
            Each device follows one topic: the --early share within --before ahead of kick-off, the others within \
            --storm after it. All report the token of their Live Activity within --report-within after their start; \
            some unfollow or dismiss it. After full time the run waits until every topic has ended, and deletes the \
            topics.

            Exits with 0 if every call succeeded, every device in the topics' activities was started, every topic \
            ended and, with --mock, every phone shows the right Live Activity; otherwise with 1; after Ctrl-C with \
            130.

            EXAMPLES:
              fanfare loadtest topics --register --devices 10000
              fanfare loadtest topics --devices 100000 --topics 10 --storm 1m --length 3m --goals 20
            """)

    @Option(
        help: ArgumentHelp(
            "The tenant's API key. Prefer FANFARE_LOADTEST_API_KEY, which the list of processes does not show.",
            valueName: "key"))
    var apiKey: String?

    @Option(help: ArgumentHelp("The tenant's SDK key. Prefer FANFARE_LOADTEST_SDK_KEY.", valueName: "key"))
    var sdkKey: String?

    @Flag(help: "Register the devices and their push-to-start tokens first.")
    var register = false

    @Option(help: "Number of concurrent matches.")
    var topics = 1

    @Option(
        help: ArgumentHelp(
            "Prefix of the topics' names. Default: load-SEED-TIME, so that each run has its own topics.",
            valueName: "name"))
    var topic: String?

    @Option(help: "Share of the devices that follow before kick-off, 0 to 1.")
    var early = 0.5

    @Option(help: "Time before kick-off in which they follow.", transform: LoadtestOptions.duration)
    var before = Duration.seconds(10)

    @Option(help: "Time after kick-off in which the others follow.", transform: LoadtestOptions.duration)
    var storm = Duration.seconds(20)

    @Option(help: "Time from kick-off to full time.", transform: LoadtestOptions.duration)
    var length = Duration.seconds(60)

    @Option(help: "Number of updates of each match in that time.")
    var goals = 5

    @Option(help: "Share of the devices that report a token after their start, 0 to 1.")
    var syncShare = 1.0

    @Option(help: "Time in which they report.", transform: LoadtestOptions.duration)
    var reportWithin = Duration.seconds(20)

    @Option(help: "Share of the devices that unfollow before full time, 0 to 1.")
    var unfollow = 0.05

    @Option(help: "Share of the devices that dismiss their Live Activity before full time, 0 to 1.")
    var dismiss = 0.02

    @Option(help: "Type of the topics' activities.")
    var activityType = "LoadTestAttributes"

    @Option(help: "Extra bytes in each content state.")
    var contentBytes = 100

    @Option(
        help: "Maximum number of connections, and so of concurrent calls. Half of them are for the phones' reports.")
    var connections = 128

    @Option(help: "Time after full time in which all topics must end.", transform: LoadtestOptions.duration)
    var settleWithin = Duration.seconds(60)

    @Flag(help: "Keep the topics and their followers, for inspection.")
    var keep = false

    @OptionGroup var options: LoadtestOptions

    private func load() throws -> TopicLoad {
        var load = TopicLoad()
        load.target = options.target
        load.apiKey = try key(apiKey, variable: "FANFARE_LOADTEST_API_KEY", name: "API key", option: "--api-key")
        load.sdkKey = try key(sdkKey, variable: "FANFARE_LOADTEST_SDK_KEY", name: "SDK key", option: "--sdk-key")
        load.identitySecret = try options.secret()
        load.registers = register
        load.topics = topics
        load.name = topic ?? "load-\(options.seed)-\(Int(Date().timeIntervalSince1970))"
        load.earlyShare = early
        load.before = before.interval
        load.storm = storm.interval
        load.length = length.interval
        load.goals = goals
        load.syncShare = syncShare
        load.reportWithin = reportWithin.interval
        load.unfollowShare = unfollow
        load.dismissShare = dismiss
        load.activityType = activityType
        load.contentBytes = contentBytes
        load.connections = connections
        load.settleWithin = settleWithin.interval
        load.keepsTopics = keep
        try LoadtestOptions.checked(load.check)
        return load
    }

    private func key(_ given: String?, variable: String, name: String, option: String) throws -> String {
        let keys = LoadtestOptions.keys(given.map { [$0] } ?? [], variable: variable)
        guard keys.count == 1 else {
            throw ValidationError(
                keys.isEmpty
                    ? "an \(name) is required: set \(variable) or \(option)"
                    : "the topics belong to one tenant: give one \(name), not \(keys.count)")
        }
        return keys[0]
    }

    func validate() throws {
        _ = try load()
    }

    func run() async throws {
        let load = try load()
        try await LoadtestSession(options: options).run { observer, control in
            try await LoadTest.topics(load, observer: observer, control: control)
        }
    }
}
