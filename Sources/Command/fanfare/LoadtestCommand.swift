import ArgumentParser

struct LoadtestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loadtest",
        abstract: "Simulates devices, marketing systems or a match day against your own gateway.",
        discussion: """
            Calls only this machine, unless --i-own-this-host names another host. loadtest/README.md describes a \
            complete trial and explains the reports.

            EXAMPLES:
              fanfare loadtest devices --register-only --devices 10000
              fanfare loadtest broadcasts --rate 5 --duration 1m
              fanfare loadtest topics --register --devices 10000
            """,
        subcommands: [LoadtestDevicesCommand.self, LoadtestBroadcastsCommand.self, LoadtestTopicsCommand.self])
}
