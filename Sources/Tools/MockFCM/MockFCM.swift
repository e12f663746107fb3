@_exported public import MockKit
public import TimeCore

/// Firebase Cloud Messaging for tests, demonstrations and load runs, as its clients see it: the endpoint that takes
/// messages and the one that gives out access tokens, over TLS and HTTP/2 on a loopback port, with the checks of the
/// real ones and with faults on demand.
///
/// Built on libnghttp2's server session, apart from all that the gateway sends with, so that a mistake there shows
/// here. One thread of its own. All members may be called from any thread.
public final class MockFCM: Sendable {
    /// The TCP port it listens on.
    public var port: UInt16 { host.port }
    /// `https://localhost:PORT`; the certificate is good for `127.0.0.1` and `::1` too.
    public var url: String { "https://localhost:\(port)" }
    /// Where access tokens are given out.
    public var tokenURL: String { url + "/token" }
    /// `http://127.0.0.1:PORT`, where it is asked and changed while it runs (`docs/mocks.md`); nil without a control
    /// port.
    public var controlURL: String? { host.controlURL }
    /// The certificate to trust, in PEM.
    public var caFile: String { files.identity.authorityFile }
    /// The account to send as, in the form in which Google gives it out, readable by the owner only.
    public var serviceAccountFile: String { files.path }
    /// How it was set up.
    public let options: Options

    private let files: ServiceAccountFile
    private let host: MockHost<FCMService>

    /// Makes what is missing of the files under `options.directory`, writes the settings for a gateway there
    /// (`service-account.json`, `fcm.env`), and listens. Throws `MockError`, `SystemError` or `TLSError`.
    public static func start(_ options: Options) throws -> MockFCM {
        try MockFCM(options)
    }

    private init(_ options: Options) throws {
        let files = try ServiceAccountFile(directory: options.directory)
        let service = try FCMService(options: options, key: files.key)
        host = try MockHost(service, name: "mock-fcm", options: options.server, identity: files.identity) { port, _ in
            try files.write(url: "https://localhost:\(port)", options: options)
        }
        self.options = options
        self.files = files
    }

    /// Changes what the mock does from now on; when this returns it is in force. Rules and quotas count and draw anew.
    public func setScript(_ script: Script) {
        host.controls.setScript(script, text: nil)
    }

    /// As `setScript(_:)`, with a script as `Script(json:)` reads it. When it throws, the one before stays in force.
    public func setScript(json: [UInt8]) throws(MockError) {
        try host.controls.setScript(json: json)
    }

    /// What was counted since the start.
    public func counts() -> Counts { Counts(host.journal.counts) }

    /// Waits until the counts are as asked; looked at whenever one changes. False when the time is up or the mock
    /// stops before. The condition may be called on any thread and must be quick.
    public func waitFor(timeout: TimeInterval, until isMet: @escaping @Sendable (Counts) -> Bool) async -> Bool {
        await host.waitFor(timeout: timeout) { isMet(Counts($0)) }
    }

    /// The messages processed, in their order. Empty unless `options.ledger` is `.full`.
    public func messages() -> [Message] { host.journal.processed.map { Message($0) } }

    /// How often a message to each registration token was decided with 200.
    /// - Parameter event: only of this event; nil means all.
    public func acceptedByToken(_ event: Event? = nil) -> [String: Int] {
        var result: [String: Int] = [:]
        for message in messages() where event == nil || message.event == event {
            guard case .answered(200, _) = message.answer else { continue }
            result[message.token, default: 0] += 1
        }
        return result
    }

    /// Writes the ledger as NDJSON, a line for each message processed.
    public func writeLedger(to path: String) throws {
        try host.writeLedger(to: path)
    }

    /// Ends all connections and the thread. May be called more than once.
    public func stop() {
        host.stop()
    }
}
