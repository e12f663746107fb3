import ArgumentParser
import MockAPNs

struct MockAPNsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock-apns",
        abstract: "Runs a mock of Apple's push service (TLS, HTTP/2).",
        discussion: """
            Writes ca.pem, key.p8, key_id, team_id, bundle_id, channels_url and apns.env (variables that point a \
            gateway at the mock) into the directory. On exit it writes ledger.ndjson: for each push a line with time, \
            path, headers, payload (base64) and answer. It verifies tokens, headers and payloads like Apple, and \
            manages broadcast channels at --channels-port. --script makes it slow or faulty; SIGHUP reloads the \
            script. docs/mocks.md describes scripts and --control-port; a script with unknown keys is refused.

            EXAMPLES:
              fanfare mock-apns --port 2197 --out-dir /tmp/apns
              env $(cat /tmp/apns/apns.env) fanfare serve
            """)

    @Option(help: "The port to listen on; 0 for a free port.")
    var port: UInt16 = 2197

    @Option(
        name: .customLong("channels-port"),
        help: ArgumentHelp("The port for managing channels; 0 for a free port.", valueName: "port"))
    var channelsPort: UInt16 = 0

    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp("The bundle identifier of the app.", valueName: "id"))
    var bundleID = "com.example.fanfare"

    @OptionGroup var options: MockOptions

    func run() async throws {
        var apns = MockAPNs.Options(directory: options.outDirectory)
        if options.withoutLedger { apns.ledger = .counts }
        apns.host = options.host
        apns.port = port
        apns.channelsPort = channelsPort
        apns.bundleID = bundleID
        apns.controlPort = options.controlPort
        let mock = try await MockRun(options: options, name: "APNs", settingsFile: "apns.env").run(
            text: { try MockScript.text(ofFile: $0) }, check: { _ = try MockScript(json: $0) },
            start: { try MockAPNs.start(apns) })
        let counts = mock.counts()
        StandardError.print("\(counts.pushes) pushes received, \(counts.accepted) accepted")
    }
}
