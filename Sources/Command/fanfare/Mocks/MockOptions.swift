import ArgumentParser

/// What both mocks of providers are told on the command line.
struct MockOptions: ParsableArguments {
    @Option(help: "The address to listen on, in numbers.")
    var host = "127.0.0.1"

    @Option(
        name: .customLong("out-dir"),
        help: ArgumentHelp("Where certificates, keys and the ledger go; made if missing.", valueName: "directory"),
        completion: .directory)
    var outDirectory: String

    @Option(
        help: ArgumentHelp("A JSON file that scripts latency and faults.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var script: String?

    @Option(
        name: .customLong("control-port"),
        help: ArgumentHelp(
            "A port of this machine at which its script, ledger and counts are read and the script is set; 0 for any free one.",
            valueName: "port"))
    var controlPort: UInt16?

    @Flag(
        name: .customLong("no-ledger"), help: "Only count requests: for load tests, where a ledger would fill memory.")
    var withoutLedger = false
}
