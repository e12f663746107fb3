import ArgumentParser

struct LoadtestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loadtest",
        abstract: "Plays devices, marketing systems or a match day against a gateway of your own.",
        discussion: """
            Calls this machine only, unless --i-own-this-host names another host. loadtest/README.md describes a whole \
            trial and how to read the reports.

            EXAMPLES:
              fanfare loadtest devices --register-only --devices 10000
              fanfare loadtest broadcasts --rate 5 --duration 1m
              fanfare loadtest topics --register --devices 10000
            """,
        subcommands: [LoadtestDevicesCommand.self, LoadtestBroadcastsCommand.self, LoadtestTopicsCommand.self])
}
