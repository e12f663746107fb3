import ArgumentParser
import MockAPNs
import UnixSignals

struct MockAPNsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock-apns",
        abstract: "Runs a mock of Apple's push service (TLS, HTTP/2) until it is interrupted.",
        discussion: """
            Writes ca.pem, key.p8, key_id, team_id, bundle_id and apns.env (variables to point a gateway at it) into the \
            directory, and on exit ledger.ndjson: a line for each push received.
            """)

    @Option(help: "The port to listen on; 0 for any free one.")
    var port: UInt16 = 2197

    @Option(help: "The address to listen on, in numbers.")
    var host = "127.0.0.1"

    @Option(name: .customLong("out-dir"), help: "Where certificates, keys and the ledger go; made if missing.")
    var outDirectory: String

    @Option(name: .customLong("bundle-id"), help: "The bundle identifier of the app that is pushed to.")
    var bundleID = "com.example.fanfare"

    @Option(help: "A JSON file that scripts latency and faults.")
    var script: String?

    @Flag(name: .customLong("no-ledger"), help: "Only count pushes: for load tests, where a ledger would fill memory.")
    var withoutLedger = false

    func run() async throws {
        var options = MockAPNs.Options(directory: outDirectory)
        if withoutLedger { options.ledger = .counts }
        options.host = host
        options.port = port
        options.bundleID = bundleID
        let mock: MockAPNs
        do {
            mock = try MockAPNs.start(options)
            if let script { mock.setScript(try MockScript(file: script)) }
        } catch {
            throw CommandFailure("the mock cannot start: \(error)")
        }
        StandardError.print(
            """
            mock APNs listens at \(mock.url)
            point a gateway at it:  set -a; . \(outDirectory)/apns.env; set +a
            Ctrl-C ends it\(withoutLedger ? "" : " and writes \(outDirectory)/ledger.ndjson")
            """)
        for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { break }
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
}
