@_exported public import MockKit
import Reactor
public import TimeCore

/// A push provider for tests, demonstrations and load runs: APNs as its clients see it, over TLS and HTTP/2 on a
/// loopback port, with the checks of the real one and with faults on demand.
///
/// Built on libnghttp2's server session, apart from all that the gateway sends with, so that a mistake there shows
/// here. One thread of its own. All members may be called from any thread.
public final class MockAPNs: Sendable {
    /// The TCP port it listens on.
    public var port: UInt16 { host.port }
    /// `https://localhost:PORT`; the certificate is good for `127.0.0.1` and `::1` too.
    public var url: String { "https://localhost:\(port)" }
    /// The TCP port at which channels are managed.
    public var channelsPort: UInt16 { host.sidePort ?? 0 }
    /// `https://localhost:PORT` of it, with the same certificate.
    public var channelsURL: String { "https://localhost:\(channelsPort)" }
    /// `http://127.0.0.1:PORT`, where it is asked and changed while it runs (`docs/mocks.md`); nil without a control
    /// port.
    public var controlURL: String? { host.controlURL }
    /// The certificate to trust, in PEM.
    public var caFile: String { credentials.identity.authorityFile }
    /// The key to sign provider tokens with: PKCS#8 in PEM, readable by the owner only.
    public var keyFile: String { credentials.signingKeyFile }
    /// The key that a provider token must name.
    public var keyID: String { options.keyID }
    /// The team's other key, which is as good as the first one: Apple lets a team have two.
    public var secondKeyFile: String { credentials.secondSigningKeyFile }
    /// What a provider token of that one must name as its key.
    public var secondKeyID: String { options.secondKeyID }
    /// The team that a provider token must name.
    public var teamID: String { options.teamID }
    /// The app whose topics are taken.
    public var bundleID: String { options.bundleID }
    /// Its options.
    public let options: Options

    private let credentials: Credentials
    let host: MockHost<APNsService>
    let channelRegister: Locked<ChannelRegister>
    let channelJournal: Journal

    /// Makes what is missing of the files under `options.directory`, writes the settings for a gateway there
    /// (`apns.env`, `key_id`, `second_key_id`, `team_id`, `bundle_id`, `channels_url`), and listens. Throws
    /// `MockError`, `SystemError` or `TLSError`.
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

    /// Changes what the mock does from now on; when this returns it is in force. Counts and draws of rules start
    /// anew.
    public func setScript(_ script: MockScript) {
        host.controls.setScript(script, text: nil)
    }

    /// As `setScript(_:)`, with a script as `MockScript(json:)` reads it. When it throws, the one before stays in
    /// force.
    public func setScript(json: [UInt8]) throws(MockError) {
        try host.controls.setScript(json: json)
    }

    /// The counts since the start.
    public func counts() -> MockCounts { MockCounts(host.journal.counts) }

    /// Waits until this many pushes have been received, counted from the start. False when the time is up or the mock
    /// stops before.
    public func waitFor(pushes: Int, timeout: TimeInterval) async -> Bool {
        await waitFor(timeout: timeout) { $0.pushes >= pushes }
    }

    /// Waits until the counts are as asked; looked at whenever one changes. False when the time is up or the mock
    /// stops before. The condition may be called on any thread and must be quick.
    public func waitFor(timeout: TimeInterval, until isMet: @escaping @Sendable (MockCounts) -> Bool) async -> Bool {
        await host.waitFor(timeout: timeout) { isMet(MockCounts($0)) }
    }

    /// The pushes processed, in their order. Empty unless `options.ledger` is `.full`.
    /// - Parameter event: only of this event; nil means all.
    public func ledgerEntries(of event: MockPushEvent? = nil) -> [LedgerEntry] {
        host.journal.processed.filter { event == nil || PushMark($0.mark).event == event }.map { LedgerEntry($0) }
    }

    /// The pushes on streams above the last stream id of a GOAWAY, as far as they had come when it was sent.
    public func unprocessedEntries() -> [LedgerEntry] { host.journal.unprocessed.map { LedgerEntry($0) } }

    /// The number of pushes processed for each token (lower case), whatever the answer.
    /// - Parameter event: only of this event; nil means all.
    public func occurrences(of event: MockPushEvent? = nil) -> [String: Int] {
        tally(event) { _ in true }
    }

    /// The number of pushes accepted with 200 for each token (lower case).
    /// - Parameter event: only of this event; nil means all.
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

    /// Writes the ledger as NDJSON, a line for each push processed.
    public func writeLedger(to path: String) throws {
        try host.writeLedger(to: path)
    }

    /// Ends all connections and the thread. May be called more than once.
    public func stop() {
        host.stop()
    }
}
