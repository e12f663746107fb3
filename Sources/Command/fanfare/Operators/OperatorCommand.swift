import ArgumentParser
import GatewayStore
import LiveActivity
import TimeCore

struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Says who may look after all tenants at the console.",
        discussion: """
            Works on the configured Redis, as `fanfare tenant` does. An operator signs in at the console (console.port) with a \
            key of their own, sees every tenant, and is named in the audit log.

            EXAMPLES:
              fanfare operator create ada
              fanfare operator list
              fanfare operator remove ada
            """,
        subcommands: [OperatorCreateCommand.self, OperatorListCommand.self, OperatorRemoveCommand.self])
}

/// An operator's name on the command line.
struct OperatorArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The operator's name: letters, digits, and . - _ @, at most 64.", valueName: "name"))
    var name: String

    func validate() throws {
        guard StoredOperators.isName(name) else {
            throw ValidationError("an operator's name has 1 to 64 letters, digits, and . - _ @")
        }
    }
}

struct OperatorCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes an operator and shows the key, this once only: the store keeps a hash of it.",
        discussion: """
            For another key remove the operator and make it again: sessions end with the key that opened them.

            EXAMPLES:
              fanfare operator create ada
              fanfare operator create ada --json
            """)

    @OptionGroup var who: OperatorArgument

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let name = who.name
        let key = try await StoreAccess.changing(try options.load(), "operator create") { store, change in
            change.object = name
            guard let key = try await store.operators.create(name) else {
                throw CommandFailure(
                    "there is an operator \(name) already; `fanfare operator remove \(name)` revokes the key")
            }
            return key
        }
        if json {
            let text = JSONWriter.object {
                $0.field("name", name)
                $0.field("operator_key", key)
            }
            return print(String(decoding: text, as: UTF8.self))
        }
        print(key)
        StandardError.print("This is the key of \(name) for the console. Keep it now: it cannot be shown again.")
    }
}

struct OperatorListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the operators.",
        discussion: """
            EXAMPLES:
              fanfare operator list
              fanfare operator list --json
            """)

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let operators = try await StoreAccess.with(try options.load()) { try await $0.operators.all() }
        if json {
            let text = JSONWriter.array { array in
                for one in operators {
                    array.object {
                        $0.field("name", one.name)
                        $0.field("sha256", String(one.keyHash.prefix(12)))
                        $0.field("created_at", one.createdAt.rfc3339)
                    }
                }
            }
            return print(String(decoding: text, as: UTF8.self))
        }
        guard !operators.isEmpty else {
            return StandardError.print("There is no operator yet; `fanfare operator create NAME` makes one.")
        }
        for one in operators { print("\(one.name)  since \(one.createdAt.rfc3339), key \(one.keyHash.prefix(12))…") }
    }
}

struct OperatorRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forgets an operator: the key and all that is signed in with it end at once.",
        discussion: """
            EXAMPLES:
              fanfare operator remove ada
            """)

    @OptionGroup var who: OperatorArgument
    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let name = who.name
        try await StoreAccess.changing(try options.load(), "operator remove") { store, change in
            change.object = name
            guard try await store.operators.remove(name) else {
                throw CommandFailure("there is no operator \(name); `fanfare operator list` lists them")
            }
        }
        print("operator \(name) is removed")
    }
}
