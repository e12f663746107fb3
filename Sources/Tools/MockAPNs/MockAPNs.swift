@_exported public import MockKit
import Reactor
public import TimeCore

/// A mock of APNs for tests, demonstrations and load runs. It serves TLS and HTTP/2 on a loopback port, makes the
/// checks of the real provider, and injects faults on demand.
///
/// HTTP/2 comes from libnghttp2's server session, not from the gateway's own code, so the mock detects protocol errors
/// of the gateway. It runs on its own thread. All members are callable on any thread.
public final class MockAPNs: Sendable {
    /// The TCP port for pushes.
    public var port: UInt16 { host.port }
    /// `https://localhost:PORT` for pushes. The certificate also covers `127.0.0.1` and `::1`.
    public var url: String { "https://localhost:\(port)" }
    /// The TCP port for channel management.
    public var channelsPort: UInt16 { host.sidePort ?? 0 }
    /// `https://localhost:PORT` for channel management, with the same certificate.
    public var channelsURL: String { "https://localhost:\(channelsPort)" }
    /// `http://127.0.0.1:PORT` of the control port (`docs/mocks.md`); nil without one.
    public var controlURL: String? { host.controlURL }
    /// The path of the certificate to trust, in PEM.
    public var caFile: String { credentials.identity.authorityFile }
    /// The path of the key that signs provider tokens: PKCS#8 in PEM, readable only by the owner.
    public var keyFile: String { credentials.signingKeyFile }
    /// The `kid` of tokens signed with `keyFile`.
    public var keyID: String { options.keyID }
    /// The path of the team's second key, which is equally valid because Apple allows two keys.
    public var secondKeyFile: String { credentials.secondSigningKeyFile }
    /// The `kid` of tokens signed with `secondKeyFile`.
    public var secondKeyID: String { options.secondKeyID }
    /// The `iss` of provider tokens.
    public var teamID: String { options.teamID }
    /// The bundle identifier of the app whose topics are accepted.
    public var bundleID: String { options.bundleID }
    /// The options that the mock was started with.
    public let options: Options

    private let credentials: Credentials
    let host: MockHost<APNsService>
    let channelRegister: Locked<ChannelRegister>
    let channelJournal: Journal

    /// Creates missing files under `options.directory`, writes the settings of a gateway there (`apns.env`, `key_id`,
    /// `second_key_id`, `team_id`, `bundle_id`, `channels_url`), and listens. Throws `MockError`, `SystemError` or
    /// `TLSError`.
    public static func start(_ options: Options) throws -> MockAPNs {
        try MockAPNs(options)
    }

    private init(_ options: Options) throws {
        let credentials = try Credentials(directory: options.directory)
        let register = Locked(ChannelRegister(capacity: options.ledger == .full ? options.maximumLedgerEntries : 0))
        let service = APNsService(options: options, credentials: credentials, register: register)
        let journal = Journal(keepsEntries: options.ledger == .full, capacity: options.maximumLedgerEntries)
        host = try MockHost(
            service, name: "mock-apns", options: options.server, identity: credentials.identity,
            side: { main in
                var server = options.server
                server.port = options.channelsPort
                service.channels.counts(in: main)
                return SidePort(service.channels, options: server, journal: journal)
            },
            whenListening: { port, channelsPort in
                try credentials.writeSettings(
                    url: "https://localhost:\(port)", channelsURL: "https://localhost:\(channelsPort ?? 0)",
                    options: options)
            })
        channelRegister = register
        channelJournal = journal
        self.options = options
        self.credentials = credentials
    }

    /// Replaces the script at once. Counters and random draws of rules start again.
    public func setScript(_ script: MockScript) {
        host.controls.setScript(script, text: nil)
    }

    /// Parses a script with `MockScript(json:)` and replaces the current one. If it throws, the current script stays.
    public func setScript(json: [UInt8]) throws(MockError) {
        try host.controls.setScript(json: json)
    }

    /// Returns the counts since the start.
    public func counts() -> MockCounts { MockCounts(host.journal.counts) }

    /// Waits until this many pushes have been received since the start. Returns false on timeout or when the mock
    /// stops.
    public func waitFor(pushes: Int, timeout: TimeInterval) async -> Bool {
        await waitFor(timeout: timeout) { $0.pushes >= pushes }
    }

    /// Waits until the counts meet a condition, which is evaluated after each change. Returns false on timeout or when
    /// the mock stops. The condition runs on any thread and must be quick.
    public func waitFor(timeout: TimeInterval, until isMet: @escaping @Sendable (MockCounts) -> Bool) async -> Bool {
        await host.waitFor(timeout: timeout) { isMet(MockCounts($0)) }
    }

    /// Returns the processed pushes in order. Empty unless `options.ledger` is `.full`.
    /// - Parameter event: Selects pushes of this event; nil means all.
    public func ledgerEntries(of event: MockPushEvent? = nil) -> [LedgerEntry] {
        host.journal.processed.filter { event == nil || PushMark($0.mark).event == event }.map { LedgerEntry($0) }
    }

    /// Returns the pushes that a GOAWAY excluded and that had arrived before it was sent.
    public func unprocessedEntries() -> [LedgerEntry] { host.journal.unprocessed.map { LedgerEntry($0) } }

    /// Returns the number of processed pushes for each token (lower-case hexadecimal), including rejected ones.
    /// - Parameter event: Selects pushes of this event; nil means all.
    public func occurrences(of event: MockPushEvent? = nil) -> [String: Int] {
        tally(event) { _ in true }
    }

    /// Returns the number of pushes accepted with 200 for each token (lower-case hexadecimal).
    /// - Parameter event: Selects pushes of this event; nil means all.
    public func acceptedByToken(_ event: MockPushEvent? = nil) -> [String: Int] {
        tally(event) { $0.answer?.status == 200 }
    }

    private func tally(_ event: MockPushEvent?, _ isCounted: (Ledger.Record) -> Bool) -> [String: Int] {
        var result: [String: Int] = [:]
        for record in host.journal.processed
        where !PushMark(record.mark).isPublish && (event == nil || PushMark(record.mark).event == event)
            && isCounted(record)
        {
            result[record.token, default: 0] += 1
        }
        return result
    }

    /// Writes the ledger as NDJSON, one line for each processed push.
    public func writeLedger(to path: String) throws {
        try host.writeLedger(to: path)
    }

    /// Ends all connections and the thread. Callable more than once.
    public func stop() {
        host.stop()
    }
}
