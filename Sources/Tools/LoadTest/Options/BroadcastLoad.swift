public import TimeCore

/// Marketing systems that register, start, update and end activities.
public struct BroadcastLoad: Sendable {
    /// When calls are due.
    public enum Arrivals: String, Sendable, CaseIterable, Codable {
        case poisson, uniform
    }

    /// Whom to call.
    public var target = LoadTarget()
    /// One for each marketing system.
    public var apiKeys: [String] = []
    /// As many as API keys, in the same order; none: devices do not report their tokens.
    public var sdkKeys: [String] = []
    /// As many as SDK keys, in the same order; none: devices report without signatures.
    public var identitySecrets: [String] = []
    /// Calls that are due in a second.
    public var rate = 5.0
    /// When calls are due.
    public var arrivals = Arrivals.poisson
    /// Calls are due for this long; nil for as many as `calls` says.
    public var duration: TimeInterval? = .seconds(30)
    /// How many calls are made; nil for as many as are due in `duration`.
    public var calls: Int?
    /// How many calls are of which kind.
    public var mix = CallMix.standard
    /// Devices of an activity.
    public var segmentSize = 100
    /// Of starts and updates, how many address a list of devices, 0 to 1; and how many devices it has.
    public var targetShare = 0.0
    /// How many devices such a list has.
    public var targets = 10
    /// Of the devices of an activity, how many report their token after its start, 0 to 1.
    public var syncShare = 1.0
    /// The type of all activities.
    public var activityType = "LoadTestAttributes"
    /// How long activities are registered for.
    public var lifetime = TimeInterval.seconds(3600)
    /// Bytes by which each content is made longer.
    public var contentBytes = 100
    /// How many activities there are at a time, at most.
    public var maximumActivities = 1000
    /// Calls under way at most.
    public var inFlight = 64
    /// Registers one activity with its whole segment, starts it, and stops.
    public var startsOne = false

    public init() {}

    /// Reports of devices under way at most, beside the calls.
    static let followUps = 16
    static let chunk = 10_000

    var keepsSyncs: Bool { !sdkKeys.isEmpty && syncShare > 0 && !startsOne }

    /// Calls that are due at most.
    var callLimit: Int { min(calls ?? .max, target.maximumRequests) }

    /// Throws a sentence for people when something makes no sense.
    public func check() throws(LoadTestError) {
        try target.check()
        guard !apiKeys.isEmpty else { throw LoadTestError("an API key is required") }
        for key in apiKeys { _ = try CallKey(key, name: "an API key") }
        for key in sdkKeys { _ = try DeviceCredential(sdkKey: key, nil, target) }
        for secret in identitySecrets { _ = try DeviceCredential(sdkKey: "any", secret, target) }
        guard sdkKeys.isEmpty || sdkKeys.count == apiKeys.count else {
            throw LoadTestError("give one SDK key for each API key, in the same order, or none")
        }
        guard identitySecrets.isEmpty || identitySecrets.count == sdkKeys.count else {
            throw LoadTestError("give one identity secret for each SDK key, in the same order, or none")
        }
        guard rate.isFinite, rate > 0, rate <= 1_000_000 else {
            throw LoadTestError("--rate must be above 0 and at most 1,000,000 calls a second")
        }
        if let duration, duration < .milliseconds(1) || duration > .seconds(86_400) {
            throw LoadTestError("--duration must be 1ms to 24h")
        }
        if let calls, calls < 1 { throw LoadTestError("--calls must be at least 1") }
        guard duration != nil || calls != nil else { throw LoadTestError("--duration or --calls is required") }
        guard (1...target.devices).contains(segmentSize) else {
            throw LoadTestError("--segment-size must be 1 to the number of --devices")
        }
        for (share, name) in [(targetShare, "--target-share"), (syncShare, "--sync-share")] {
            guard (0...1).contains(share) else { throw LoadTestError("\(name) must be 0 to 1") }
        }
        guard (1...10_000).contains(targets) else { throw LoadTestError("--targets must be 1 to 10,000") }
        guard (0...4096).contains(contentBytes) else { throw LoadTestError("--content-bytes must be 0 to 4096") }
        guard (1...100_000).contains(maximumActivities) else {
            throw LoadTestError("--max-activities must be 1 to 100,000")
        }
        guard (1...LoadTarget.mostConnections - BroadcastLoad.followUps).contains(inFlight) else {
            throw LoadTestError("--in-flight must be 1 to 19,984")
        }
        guard lifetime >= .seconds(301), lifetime <= .seconds(7 * 86_400) else {
            throw LoadTestError("--lifetime must be more than 5m and at most 168h")
        }
        try Field.check(activityType, "--activity-type")
    }
}
