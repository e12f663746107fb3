import ArgumentParser
import MockAPNs
import UnixSignals

struct MockAPNsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock-apns",
        abstract: "Runs a mock of Apple's push service (TLS, HTTP/2) until it is interrupted.",
        discussion: """
            Writes ca.pem, key.p8, key_id, team_id, bundle_id and apns.env (variables to point a gateway at it) into the \
            directory, and on exit ledger.ndjson: a line for each push received, with time, path, headers, payload (base64) \
            and answer. It verifies tokens, headers and payloads as Apple does; --script makes it slow or faulty, and SIGHUP \
            has that file read again. What a script may say, and what --control-port answers, is in docs/mocks.md; a \
            script with anything else in it is refused.

            EXAMPLES:
              fanfare mock-apns --port 2197 --out-dir /tmp/apns
              set -a; . /tmp/apns/apns.env; set +a; fanfare serve
            """)

    @Option(help: "The port to listen on; 0 for any free one.")
    var port: UInt16 = 2197

    @Option(help: "The address to listen on, in numbers.")
    var host = "127.0.0.1"

    @Option(
        name: .customLong("out-dir"),
        help: ArgumentHelp("Where certificates, keys and the ledger go; made if missing.", valueName: "directory"),
        completion: .directory)
    var outDirectory: String

    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp("The bundle identifier of the app that is pushed to.", valueName: "id"))
    var bundleID = "com.example.fanfare"

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

    @Flag(name: .customLong("no-ledger"), help: "Only count pushes: for load tests, where a ledger would fill memory.")
    var withoutLedger = false

    func run() async throws {
        var options = MockAPNs.Options(directory: outDirectory)
        if withoutLedger { options.ledger = .counts }
        options.host = host
        options.port = port
        options.bundleID = bundleID
        options.controlPort = controlPort
        let firstScript = try readScript()
        // Before anybody knows of it: from then on a signal may come.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        let mock: MockAPNs
        do {
            mock = try MockAPNs.start(options)
            if let firstScript { try mock.setScript(json: firstScript) }
        } catch {
            let text = "\(error)"
            let ports = controlPort == nil ? "--port" : "--port or --control-port"
            let advice = text.contains("in use") ? "; give another \(ports), or 0 for any free one" : ""
            throw CommandFailure("the mock cannot start: \(text)\(advice)")
        }
        StandardError.print(
            """
            mock APNs listens at \(mock.url)\(mock.controlURL.map { "\nits control port is \($0)" } ?? "")
            point a gateway at it:  set -a; . \(outDirectory)/apns.env; set +a
            Ctrl-C ends it\(withoutLedger ? "" : " and writes \(outDirectory)/ledger.ndjson")
            """)
        for await signal in signals {
            guard signal == .sighup else { break }
            readScript(again: mock)
        }
        mock.stop()
        let counts = mock.counts()
        if !withoutLedger {
            do {
                try mock.writeLedger(to: "\(outDirectory)/ledger.ndjson")
            } catch {
                throw CommandFailure("the ledger cannot be written: \(error)")
            }
        }
        StandardError.print("\(counts.pushes) pushes received, \(counts.accepted) accepted")
    }

    /// The text of a script that can be used; nil when there is no file.
    private func readScript() throws -> [UInt8]? {
        guard let script else { return nil }
        do {
            let text = try MockScript.text(ofFile: script)
            _ = try MockScript(json: text)
            return text
        } catch {
            throw CommandFailure("the script \(script) cannot be used: \(error)")
        }
    }

    /// What is wrong with the file is said, and the mock goes on as before.
    private func readScript(again mock: MockAPNs) {
        guard let script else { return StandardError.print("there is no --script to read again") }
        do {
            try mock.setScript(json: MockScript.text(ofFile: script))
            StandardError.print("\(script) is in force")
        } catch {
            StandardError.print("\(script) is not in force: \(error)")
        }
    }
}
