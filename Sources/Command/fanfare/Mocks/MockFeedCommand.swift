import ArgumentParser
import Foundation
import MockFeed
import UnixSignals

struct MockFeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock-feed",
        abstract: "Runs a mock of a feed of topics (HTTP).",
        discussion: """
            Answers GET with {"topics": [...]} and an ETag, for gateways that poll it (topics.feeds). --script sets \
            the topics, their times and faults; by default the mock plays a short match. PUT /mock/script and \
            /mock/fault change it at run time, and GET /mock/counts returns the requests. docs/mocks.md describes \
            scripts.

            EXAMPLES:
              fanfare mock-feed --port 8090
              fanfare mock-feed --port 8443 --script match.json --out-dir /tmp/feed
            """)

    @Option(help: "The IP address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for a free port.")
    var port: UInt16 = 8090

    @Option(
        name: .customLong("out-dir"),
        help: ArgumentHelp(
            "Directory for certificates, created if missing. With it the mock speaks TLS.", valueName: "directory"),
        completion: .directory)
    var outDirectory: String?

    @Option(
        help: ArgumentHelp("A JSON file with the topics and their times.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var script: String?

    func run() async throws {
        let first = try text() ?? MockFeedScript.match
        do { _ = try MockFeedScript(json: first) } catch {
            throw CommandFailure("the script \(script ?? "") is invalid: \(error)")
        }
        // Signals are trapped before the mock is announced, because one may follow at once.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        var options = MockFeed.Options()
        options.host = host
        options.port = Int(port)
        options.directory = outDirectory
        let mock: MockFeed
        do {
            mock = try await MockFeed.start(options)
            try mock.setScript(json: first)
        } catch {
            throw CommandFailure(
                "the mock cannot start: \(PlainWords.of(error)); choose another --port, or 0 for a free port")
        }
        StandardError.print(
            """
            mock feed listens at \(mock.url)\(mock.caFile.map { "\nits certificate is in \($0)" } ?? "")
            point a gateway at it:  FANFARE_TOPICS_FEEDS_0_TENANT=... FANFARE_TOPICS_FEEDS_0_URL=\(mock.url)
            Press Ctrl-C to stop
            """)
        _ = await signals.first { _ in true }
        let count = mock.requestCount
        await mock.stop()
        StandardError.print("\(count) requests received")
    }

    private func text() throws -> [UInt8]? {
        guard let script else { return nil }
        guard let data = FileManager.default.contents(atPath: script) else {
            throw CommandFailure("the script \(script) cannot be read")
        }
        return Array(data)
    }
}
