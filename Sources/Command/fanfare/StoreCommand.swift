import ArgumentParser
import Foundation
import GatewayStore

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Looks after the store that gateways share.",
        discussion: """
            Works on the configured Redis, or on the private one that a gateway on this machine may be running.

            EXAMPLES:
              fanfare store upgrade --config /etc/fanfare/fanfare.yaml
            """,
        subcommands: [StoreUpgradeCommand.self])
}

struct StoreUpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Has all gateways write the store as this version does.",
        discussion: """
            Gateways of an earlier version may not be able to read what is written then. So they write on as before, all of \
            them, until this has been run: once, when the last of them has been replaced. Running gateways notice it within \
            seconds. There is no way back.

            EXAMPLES:
              fanfare store upgrade --config /etc/fanfare/fanfare.yaml
            """)

    @Flag(help: "One line of JSON, for programs.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        let (before, now) = try await StoreAccess.changing(configuration, "store upgrade") { store, change in
            let before = try await store.layout.upgrade()
            change.object = "layout=\(store.layout.current)"
            return (before, store.layout.current)
        }
        if json { return print(#"{"layout":\#(now),"before":\#(before)}"#) }
        print(before == now ? "the store has layout \(now) already" : "the store has layout \(now), and had \(before)")
    }
}
