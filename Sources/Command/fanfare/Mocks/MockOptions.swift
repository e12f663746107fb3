import ArgumentParser

/// The options of both provider mocks.
struct MockOptions: ParsableArguments {
    @Option(help: "The IP address to listen on.")
    var host = "127.0.0.1"

    @Option(
        name: .customLong("out-dir"),
        help: ArgumentHelp(
            "Directory for certificates, keys and the ledger, created if missing.", valueName: "directory"),
        completion: .directory)
    var outDirectory: String

    @Option(
        help: ArgumentHelp("A JSON file that scripts latency and faults.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var script: String?

    @Option(
        name: .customLong("control-port"),
        help: ArgumentHelp(
            "A local port for reading and setting the script, and for reading ledger and counts; 0 for a free port.",
            valueName: "port"))
    var controlPort: UInt16?

    @Flag(
        name: .customLong("no-ledger"),
        help: "Count requests without a ledger. Use it for load tests, where a ledger would fill the memory.")
    var withoutLedger = false
}
