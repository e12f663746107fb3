import ArgumentParser
import Foundation
import LoadTest

struct LoadtestTopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Plays a match day: devices follow topics that go live, have goals, and end.",
        discussion: """
            Each device follows one topic: the --early ones within --before ahead of kick-off, the others in a storm after \
            it. All report the token of their Live Activity within --report-within after their start, some stop \
            following or dismiss it. After full time it waits until every topic has come to rest, and deletes the topics.

            Exits with 0 when every call succeeded, every device in the topics' activities was started and every topic \
            came to rest, and with --mock every phone shows the right Live Activity; 1 when not; 130 after Ctrl-C.

            EXAMPLES:
              fanfare loadtest topics --register --devices 10000
              fanfare loadtest topics --devices 100000 --topics 10 --storm 1m --length 3m --goals 20
            """)

    @Option(
        help: ArgumentHelp(
            "The tenant's API key; better in FANFARE_LOADTEST_API_KEY, where no list of processes shows it.",
            valueName: "key"))
    var apiKey: String?

    @Option(help: ArgumentHelp("The tenant's SDK key; better in FANFARE_LOADTEST_SDK_KEY.", valueName: "key"))
    var sdkKey: String?

    @Flag(help: "Register the devices and their push-to-start tokens first.")
    var register = false

    @Option(help: "Matches that are played at a time.")
    var topics = 1

    @Option(
        help: ArgumentHelp(
            "What the topics' names begin with; without it load-SEED-TIME, so that each run has topics of its own.",
            valueName: "name"))
    var topic: String?

    @Option(help: "Of the devices, how many follow before kick-off: 0 to 1.")
    var early = 0.5

    @Option(help: "These follow within this time before kick-off.", transform: LoadtestOptions.duration)
    var before = Duration.seconds(10)

    @Option(help: "The others follow within this time after kick-off.", transform: LoadtestOptions.duration)
    var storm = Duration.seconds(20)

    @Option(help: "From kick-off to full time.", transform: LoadtestOptions.duration)
    var length = Duration.seconds(60)

    @Option(help: "New contents of each match between the two.")
    var goals = 5

    @Option(help: "Of the devices, how many report a token after their start: 0 to 1.")
    var syncShare = 1.0

    @Option(help: "They report within this time.", transform: LoadtestOptions.duration)
    var reportWithin = Duration.seconds(20)

    @Option(help: "Of the devices, how many stop following before full time: 0 to 1.")
    var unfollow = 0.05

    @Option(help: "Of the devices, how many dismiss their Live Activity before full time: 0 to 1.")
    var dismiss = 0.02

    @Option(help: "The type of the topics' activities.")
    var activityType = "LoadTestAttributes"

    @Option(help: "Bytes by which each content state is made longer.")
    var contentBytes = 100

    @Option(help: "Connections, and so calls under way, at most; half of them are for what phones report.")
    var connections = 128

    @Option(help: "How long after full time the ends may take.", transform: LoadtestOptions.duration)
    var settleWithin = Duration.seconds(60)

    @Flag(help: "Leave the topics and their followers, to look at them.")
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
                    ? "an \(name) is needed: set \(variable), or give \(option)"
                    : "topics are of one tenant: one \(name) is needed, not \(keys.count)")
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
