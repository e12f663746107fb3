import MockAPNs
import MockFCM
import MockKit
import UnixSignals

/// A provider mock that a command runs.
protocol ScriptedMock: Sendable {
    var url: String { get }
    var controlURL: String? { get }
    /// Further listeners, each with its purpose and URL.
    var otherURLs: [(purpose: String, url: String)] { get }
    /// The options of the listening ports, except the control port.
    static var portOptions: [String] { get }
    func setScript(json: [UInt8]) throws(MockError)
    func writeLedger(to path: String) throws
    func stop()
}

extension MockAPNs: ScriptedMock {
    var otherURLs: [(purpose: String, url: String)] { [("channels are managed", channelsURL)] }
    static var portOptions: [String] { ["--port", "--channels-port"] }
}

extension MockFCM: ScriptedMock {
    var otherURLs: [(purpose: String, url: String)] { [] }
    static var portOptions: [String] { ["--port"] }
}

/// Runs a mock until a signal ends it. SIGHUP reloads its script.
struct MockRun {
    let options: MockOptions
    /// The provider's name, like "APNs".
    let name: String
    /// The name of a file in the output directory. Its variables point a gateway at the mock.
    let settingsFile: String

    /// - Parameters:
    ///   - text: Reads the file of a script.
    ///   - check: Throws if a script is invalid.
    ///   - start: Starts the mock, before its script is set.
    /// - Returns: The stopped mock, after writing its ledger if enabled.
    func run<Mock: ScriptedMock>(
        text: @Sendable (String) throws -> [UInt8], check: ([UInt8]) throws -> Void, start: () throws -> Mock
    ) async throws -> Mock {
        let firstScript = try readScript(text, check)
        // Signals are trapped before the mock is announced, because one may follow at once.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        let mock = try started(start, firstScript)
        let directory = options.outDirectory
        let others = mock.otherURLs.map { "\n\($0.purpose) at \($0.url)" }.joined()
        StandardError.print(
            """
            mock \(name) listens at \(mock.url)\(others)\(mock.controlURL.map { "\nits control port is \($0)" } ?? "")
            point a gateway at it:  set -a; . \(directory)/\(settingsFile); set +a
            Press Ctrl-C to stop\(options.withoutLedger ? "" : " and to write \(directory)/ledger.ndjson")
            """)
        for await signal in signals {
            guard signal == .sighup else { break }
            readScript(again: mock, text)
        }
        mock.stop()
        if !options.withoutLedger {
            do {
                try mock.writeLedger(to: "\(directory)/ledger.ndjson")
            } catch {
                throw CommandFailure("the ledger cannot be written: \(error)")
            }
        }
        return mock
    }

    private func started<Mock: ScriptedMock>(_ start: () throws -> Mock, _ script: [UInt8]?) throws -> Mock {
        do {
            let mock = try start()
            if let script { try mock.setScript(json: script) }
            return mock
        } catch {
            let text = "\(error)"
            let names = Mock.portOptions + (options.controlPort == nil ? [] : ["--control-port"])
            let ports = names.joined(separator: " or ")
            let advice = text.contains("in use") ? "; choose another \(ports), or 0 for a free port" : ""
            throw CommandFailure("the mock cannot start: \(text)\(advice)")
        }
    }

    /// Returns the text of a valid script; nil if none is given.
    private func readScript(_ text: (String) throws -> [UInt8], _ check: ([UInt8]) throws -> Void) throws -> [UInt8]? {
        guard let script = options.script else { return nil }
        do {
            let text = try text(script)
            try check(text)
            return text
        } catch {
            throw CommandFailure("the script \(script) is invalid: \(error)")
        }
    }

    /// Reloads the script. If the file is unusable, prints the reason and keeps the previous script.
    private func readScript(again mock: some ScriptedMock, _ text: (String) throws -> [UInt8]) {
        guard let script = options.script else { return StandardError.print("SIGHUP ignored: no --script to reload") }
        do {
            try mock.setScript(json: text(script))
            StandardError.print("reloaded \(script)")
        } catch {
            StandardError.print("cannot reload \(script): \(error)")
        }
    }
}
