public import TimeCore

/// The common options of all load tests: the gateway, the devices and the limits.
public struct LoadTarget: Sendable {
    /// The gateway's URL, for example `http://127.0.0.1:8080`. It must name this machine, unless `ownedHost` names its
    /// host.
    public var url = "http://127.0.0.1:8080"
    /// A host that the caller declares to own.
    public var ownedHost: String?
    /// A file with certificates (PEM) to trust in place of the system's.
    public var caFile: String?
    /// The time limit of an answer, and of overdue calls after the last due time.
    public var timeout = TimeInterval.seconds(60)
    /// Control ports of the mocks behind the gateway, for example `http://127.0.0.1:2198`. With them, the report
    /// compares the content on each phone with the requested content.
    public var mocks: [String] = []
    /// The number of the run. Update tokens depend on it, because each Live Activity has its own token.
    public var run = 0
    /// The seed of devices, tokens, segments and arrivals.
    public var seed: UInt64 = 1
    /// The number of the first device.
    public var firstDevice = 0
    /// The number of devices.
    public var devices = 1000
    /// The maximum number of requests in a run.
    public var maximumRequests = 1_000_000

    /// The version of the signatures of device reports: 1 or 2. Unused without an identity secret.
    public var signatureVersion = 2
    /// The expiry of the signatures, in epoch seconds.
    public var signatureExpiry: Int64 = 0

    public init() {}

    static let mostConnections = 20_000

    /// The rotation of a phone's update token for an activity or topic.
    static func rotation(_ subject: Int, run: Int) -> Int { run << 20 + subject }

    var population: Population { Population(seed: seed, first: firstDevice, count: devices) }

    func check() throws(LoadTestError) {
        try HostGuard.check(GatewayURL(url), owned: ownedHost)
        _ = try MockLedgers(mocks)
        guard devices >= 1, firstDevice >= 0, firstDevice < Population.limit, devices <= Population.limit - firstDevice
        else {
            throw LoadTestError("--devices must be at least 1, and their numbers must stay below 100,000,000")
        }
        guard timeout >= .milliseconds(10), timeout <= .seconds(3600) else {
            throw LoadTestError("--timeout must be 10ms to 1h")
        }
        guard maximumRequests >= 1 else { throw LoadTestError("--max-requests must be at least 1") }
    }
}
