@_exported public import MockKit
public import TimeCore

/// A mock of Firebase Cloud Messaging for tests, demonstrations and load runs. It accepts messages and issues access
/// tokens over TLS and HTTP/2 on a loopback port. It makes the checks of the real provider, and injects faults on
/// demand.
///
/// HTTP/2 comes from libnghttp2's server session, not from the gateway's own code, so the mock detects protocol errors
/// of the gateway. It runs on its own thread. All members are callable on any thread.
public final class MockFCM: Sendable {
    /// The TCP port for messages and access tokens.
    public var port: UInt16 { host.port }
    /// `https://localhost:PORT`. The certificate also covers `127.0.0.1` and `::1`.
    public var url: String { "https://localhost:\(port)" }
    /// The URL of the token endpoint.
    public var tokenURL: String { url + "/token" }
    /// `http://127.0.0.1:PORT` of the control port (`docs/mocks.md`); nil without one.
    public var controlURL: String? { host.controlURL }
    /// The path of the certificate to trust, in PEM.
    public var caFile: String { files.identity.authorityFile }
    /// The path of the service account in Google's format, readable only by the owner.
    public var serviceAccountFile: String { files.path }
    /// The options that the mock was started with.
    public let options: Options

    private let files: ServiceAccountFile
    private let host: MockHost<FCMService>

    /// Creates missing files under `options.directory`, writes the settings of a gateway there (`service-account.json`,
    /// `fcm.env`), and listens. Throws `MockError`, `SystemError` or `TLSError`.
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

    /// Replaces the script before it returns. Counters, quotas and random draws start again.
    public func setScript(_ script: Script) {
        host.controls.setScript(script, text: nil)
    }

    /// Parses a script with `Script(json:)` and replaces the current one. If it throws, the current script stays.
    public func setScript(json: [UInt8]) throws(MockError) {
        try host.controls.setScript(json: json)
    }

    /// Returns the counts since the start.
    public func counts() -> Counts { Counts(host.journal.counts) }

    /// Waits until the counts meet a condition, which is evaluated after each change. Returns false on timeout or when
    /// the mock stops. The condition runs on any thread and must be quick.
    public func waitFor(timeout: TimeInterval, until isMet: @escaping @Sendable (Counts) -> Bool) async -> Bool {
        await host.waitFor(timeout: timeout) { isMet(Counts($0)) }
    }

    /// Returns the processed messages in order. Empty unless `options.ledger` is `.full`.
    public func messages() -> [Message] { host.journal.processed.map { Message($0) } }

    /// Returns the number of messages accepted with 200 for each registration token.
    /// - Parameter event: Selects messages of this event; nil means all.
    public func acceptedByToken(_ event: Event? = nil) -> [String: Int] {
        var result: [String: Int] = [:]
        for message in messages() where event == nil || message.event == event {
            guard case .answered(200, _) = message.answer else { continue }
            result[message.token, default: 0] += 1
        }
        return result
    }

    /// Writes the ledger as NDJSON, one line for each processed message.
    public func writeLedger(to path: String) throws {
        try host.writeLedger(to: path)
    }

    /// Ends all connections and the thread. Callable more than once.
    public func stop() {
        host.stop()
    }
}
