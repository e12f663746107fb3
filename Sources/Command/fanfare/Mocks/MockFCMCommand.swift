import ArgumentParser
import MockFCM

struct MockFCMCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock-fcm",
        abstract: "Runs a mock of Firebase Cloud Messaging (TLS, HTTP/2).",
        discussion: """
            Writes ca.pem, service-account.json and fcm.env (variables that point a gateway at the mock) into the \
            directory. On exit it writes ledger.ndjson: for each message a line with time, path, headers, body \
            (base64), access token and answer. One port issues access tokens (POST /token) and accepts messages. The \
            mock verifies assertions, tokens and messages like Google. --script makes it slow or faulty; SIGHUP \
            reloads the script. docs/mocks.md describes scripts and --control-port; a script with unknown keys is \
            refused.

            EXAMPLES:
              fanfare mock-fcm --port 2199 --out-dir /tmp/fcm
              set -a; . /tmp/fcm/fcm.env; set +a; fanfare serve
            """)

    @Option(help: "The port to listen on; 0 for a free port.")
    var port: UInt16 = 2199

    @Option(
        name: .customLong("project-id"),
        help: ArgumentHelp("The Firebase project of the messages.", valueName: "id"))
    var projectID = "fanfare-mock"

    @OptionGroup var options: MockOptions

    func run() async throws {
        var fcm = MockFCM.Options(directory: options.outDirectory)
        if options.withoutLedger { fcm.ledger = .counts }
        fcm.host = options.host
        fcm.port = port
        fcm.controlPort = options.controlPort
        fcm.projectID = projectID
        let mock = try await MockRun(options: options, name: "FCM", settingsFile: "fcm.env").run(
            text: { try MockFCM.Script.text(ofFile: $0) }, check: { _ = try MockFCM.Script(json: $0) },
            start: { try MockFCM.start(fcm) })
        let counts = mock.counts()
        StandardError.print(
            "\(counts.messages) messages received, \(counts.accepted) accepted; \(counts.tokensIssued) access tokens issued"
        )
    }
}
