import ArgumentParser
import Foundation
import GatewayStore

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Manages the store that gateways share.",
        discussion: """
            Uses the configured Redis, or the private one of a gateway on this machine.

            EXAMPLES:
              fanfare store upgrade --config /etc/fanfare/fanfare.yaml
            """,
        subcommands: [StoreUpgradeCommand.self])
}

struct StoreUpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Switches the store to this version's layout.",
        discussion: """
            Gateways of an earlier version may not read the new layout, so all gateways keep writing the old one. Run \
            this command once, after you have replaced the last old gateway. Running gateways switch within seconds. \
            You cannot undo it.

            EXAMPLES:
              fanfare store upgrade --config /etc/fanfare/fanfare.yaml
            """)

    @Flag(help: "Print one line of JSON.")
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
        print(
            before == now
                ? "the store already has layout \(now)" : "the store has layout \(now); it had layout \(before)")
    }
}
