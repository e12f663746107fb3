import Glibc
import Reactor
import TLS
public import TimeCore

/// A push provider for tests, demonstrations and load runs: APNs as its clients see it, over TLS and HTTP/2 on a
/// loopback port, with the checks of the real one and with faults on demand.
///
/// Built on libnghttp2's server session, apart from all that the gateway sends with, so that a mistake there shows
/// here. One thread of its own. All members may be called from any thread.
public final class MockAPNs: Sendable {
    /// The TCP port it listens on.
    public let port: UInt16
    /// `https://localhost:PORT`; the certificate is good for `127.0.0.1` and `::1` too.
    public var url: String { "https://localhost:\(port)" }
    /// `http://127.0.0.1:PORT`, where it is asked and changed while it runs (`docs/mocks.md`); nil without a control port.
    public let controlURL: String?
    /// The certificate to trust, in PEM.
    public var caFile: String { credentials.authorityFile }
    /// The key to sign provider tokens with: PKCS#8 in PEM, readable by the owner only.
    public var keyFile: String { credentials.signingKeyFile }
    /// What a provider token must name as its key.
    public var keyID: String { options.keyID }
    /// What a provider token must name as its team.
    public var teamID: String { options.teamID }
    /// The app whose topics are taken.
    public var bundleID: String { options.bundleID }
    /// How it was set up.
    public let options: Options

    private let credentials: Credentials
    private let server: MockServer
    private let reactor: Reactor
    private let journal: Journal
    private let controls: MockAPNsControls
    private let controlServer: ControlServer?

    /// Makes what is missing of the files under `options.directory`, writes the settings for a gateway there
    /// (`apns.env`, `key_id`, `team_id`, `bundle_id`), and listens. Throws `MockAPNsError`, `SystemError` or
    /// `TLSError`.
    public static func start(_ options: Options) throws -> MockAPNs {
        try MockAPNs(options)
    }

    private init(_ options: Options) throws {
        self.options = options
        credentials = try Credentials(directory: options.directory)
        journal = Journal(keepsEntries: options.ledger == .full, capacity: options.maximumLedgerEntries)
        reactor = try Reactor(name: "mock-apns")
        do {
            server = try MockServer(options: options, credentials: credentials, reactor: reactor, journal: journal)
            let server = server
            let listening = Handover<Result<UInt16, SystemError>>()
            reactor.execute {
                listening.give(Result { () throws(SystemError) in try server.listen() })
            }
            port = try listening.take().get()
            try credentials.writeSettings(url: "https://localhost:\(port)", options: options)
            controls = MockAPNsControls(server: server, reactor: reactor, journal: journal)
            let control = try options.controlPort.map { [controls] in try ControlServer.start(port: $0, controls) }
            controlServer = control?.0
            controlURL = control.map { "http://127.0.0.1:\($0.1)" }
        } catch {
            reactor.stop()
            throw error
        }
    }

    deinit {
        stop()
    }

    /// Changes what the mock does from now on; when this returns it is in force. Counts and draws of rules start
    /// anew.
    public func setScript(_ script: MockScript) {
        controls.setScript(script, text: nil)
    }

    /// As `setScript(_:)`, with a script as `MockScript(json:)` reads it. When it throws, the one before stays in force.
    public func setScript(json: [UInt8]) throws(MockAPNsError) {
        try controls.setScript(json: json)
    }

    /// What was counted since the start.
    public func counts() -> MockCounts { journal.counts }

    /// Waits until this many pushes have been received, counted from the start. False when the time is up or the mock
    /// stops before.
    public func waitFor(pushes: Int, timeout: TimeInterval) async -> Bool {
        await waitFor(timeout: timeout) { $0.pushes >= pushes }
    }

    /// Waits until the counts are as asked; looked at whenever one changes. False when the time is up or the mock
    /// stops before. The condition may be called on any thread and must be quick.
    public func waitFor(timeout: TimeInterval, until isMet: @escaping @Sendable (MockCounts) -> Bool) async -> Bool {
        let journal = journal
        let reactor = reactor
        return await withCheckedContinuation { continuation in
            guard let waiter = journal.await(isMet, resume: { continuation.resume(returning: $0) }) else { return }
            reactor.execute {
                reactor.schedule(after: timeout) { journal.giveUp(waiter) }
            }
        }
    }

    /// The pushes processed, in their order. Empty unless `options.ledger` is `.full`.
    public func ledgerEntries() -> [LedgerEntry] { journal.processed.map(\.entry) }

    /// The pushes on streams above the last stream id of a GOAWAY, as far as they had come when it was sent.
    public func unprocessedEntries() -> [LedgerEntry] { journal.unprocessed.map(\.entry) }

    /// How often a push to each token (lower case) was processed, whatever the answer.
    /// - Parameter event: only of this event; nil means all.
    public func occurrences(of event: MockPushEvent? = nil) -> [String: Int] {
        tally(event) { _ in true }
    }

    /// How often a push to each token (lower case) was decided with 200.
    /// - Parameter event: only of this event; nil means all.
    public func acceptedByToken(_ event: MockPushEvent? = nil) -> [String: Int] {
        tally(event) { $0.answer?.status == 200 }
    }

    private func tally(_ event: MockPushEvent?, _ isCounted: (Ledger.Record) -> Bool) -> [String: Int] {
        var result: [String: Int] = [:]
        for record in journal.processed where (event == nil || record.event == event) && isCounted(record) {
            result[record.token, default: 0] += 1
        }
        return result
    }

    /// Writes the ledger as NDJSON, a line for each push processed.
    public func writeLedger(to path: String) throws {
        try LedgerFile.write(journal.processed, to: path)
    }

    /// Ends all connections and the thread. May be called more than once.
    public func stop() {
        // First, as it may be waiting for the reactor.
        controlServer?.stop()
        let server = server
        reactor.execute { server.stop() }
        reactor.stop()
        journal.close()
    }
}
