import ArgumentParser
import GatewayStore
import LiveActivity
import TimeCore

struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Manages operators, who see all tenants in the console.",
        discussion: """
            Uses the configured Redis, like `fanfare tenant`. An operator signs in to the console (console.port) with \
            a personal key, sees every tenant, and appears in the audit log by name.

            EXAMPLES:
              fanfare operator create ada
              fanfare operator list
              fanfare operator remove ada
            """,
        subcommands: [OperatorCreateCommand.self, OperatorListCommand.self, OperatorRemoveCommand.self])
}

/// An operator's name on the command line.
struct OperatorArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The operator's name: at most 64 letters, digits and . - _ @.", valueName: "name"))
    var name: String

    func validate() throws {
        guard StoredOperators.isName(name) else {
            throw ValidationError("the operator's name must have 1 to 64 letters, digits and . - _ @")
        }
    }
}

struct OperatorCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates an operator and prints the key, only this once.",
        discussion: """
            The store keeps only a hash of the key. To replace a key, remove the operator and create it again; this \
            ends its sessions.

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
                    "the operator \(name) exists already; `fanfare operator remove \(name)` revokes the key")
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
        StandardError.print("This is the console key of \(name). Save it now: it is not shown again.")
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
            return StandardError.print("No operators yet. Create one: fanfare operator create NAME")
        }
        for one in operators { print("\(one.name)  since \(one.createdAt.rfc3339), key \(one.keyHash.prefix(12))…") }
    }
}

struct OperatorRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes an operator, and revokes the key and its sessions at once.",
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
                throw CommandFailure("the operator \(name) does not exist; `fanfare operator list` lists all operators")
            }
        }
        print("operator \(name) removed")
    }
}
