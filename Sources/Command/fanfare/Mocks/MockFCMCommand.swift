import ArgumentParser
import MockFCM

struct MockFCMCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock-fcm",
        abstract: "Runs a mock of Firebase Cloud Messaging (TLS, HTTP/2) until it is interrupted.",
        discussion: """
            Writes ca.pem, service-account.json and fcm.env (variables to point a gateway at it) into the directory, and on \
            exit ledger.ndjson: a line for each message received, with time, path, headers, body (base64), access token and \
            answer. One port gives out access tokens (POST /token) and takes messages; it verifies assertions, tokens and \
            messages as Google does; --script makes it slow or faulty, and SIGHUP has that file read again. What a script \
            may say, and what --control-port answers, is in docs/mocks.md; a script with anything else in it is refused.

            EXAMPLES:
              fanfare mock-fcm --port 2199 --out-dir /tmp/fcm
              set -a; . /tmp/fcm/fcm.env; set +a; fanfare serve
            """)

    @Option(help: "The port to listen on; 0 for any free one.")
    var port: UInt16 = 2199

    @Option(
        name: .customLong("project-id"),
        help: ArgumentHelp("The Firebase project that messages are sent for.", valueName: "id"))
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
            "\(counts.messages) messages received, \(counts.accepted) accepted; \(counts.tokensIssued) access tokens given out"
        )
    }
}
