public import TimeCore

/// What every load test needs to know: whom to call, and how much at most.
public struct LoadTarget: Sendable {
    /// The gateway, such as `http://127.0.0.1:8080`. Must be this machine, unless `ownedHost` names its host.
    public var url = "http://127.0.0.1:8080"
    /// A host that the caller declares to be its own.
    public var ownedHost: String?
    /// A file with certificates (PEM) to trust in place of the system's.
    public var caFile: String?
    /// How long a call waits for its answer, and how long calls that were due are still sent after the last was due.
    public var timeout = TimeInterval.seconds(60)
    /// Control ports of the mocks behind the gateway, such as `http://127.0.0.1:2198`. With them the report compares
    /// what each phone shows with what was asked for.
    public var mocks: [String] = []
    /// The number of the run. Update tokens follow from it as well, because each Live Activity has one of its own.
    public var run = 0
    /// What devices, tokens, segments and arrivals follow from.
    public var seed: UInt64 = 1
    /// The number of the first device, and how many there are.
    public var firstDevice = 0
    /// How many devices there are.
    public var devices = 1000
    /// No run makes more requests than this.
    public var maximumRequests = 1_000_000

    /// Of the signatures by which devices report, where there is an identity secret: 1 or 2.
    public var signatureVersion = 2
    /// When these expire, in epoch seconds.
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
