public import TimeCore

/// A load of marketing systems that register, start, update and end activities.
public struct BroadcastLoad: Sendable {
    /// The distribution of due times.
    public enum Arrivals: String, Sendable, CaseIterable, Codable {
        case poisson, uniform
    }

    /// The gateway and the devices.
    public var target = LoadTarget()
    /// One API key for each marketing system.
    public var apiKeys: [String] = []
    /// One SDK key for each API key, in the same order. If empty, devices do not report their tokens.
    public var sdkKeys: [String] = []
    /// One identity secret for each SDK key, in the same order. If empty, devices report without signatures.
    public var identitySecrets: [String] = []
    /// The number of calls due in a second.
    public var rate = 5.0
    /// The distribution of due times.
    public var arrivals = Arrivals.poisson
    /// The time in which calls are due; nil if `calls` is the only limit.
    public var duration: TimeInterval? = .seconds(30)
    /// The maximum number of calls; nil if `duration` is the only limit.
    public var calls: Int?
    /// The frequencies of the kinds of calls.
    public var mix = CallMix.standard
    /// The number of devices of an activity.
    public var segmentSize = 100
    /// The share (0 to 1) of starts and updates that address a list of devices.
    public var targetShare = 0.0
    /// The number of devices in the list of a targeted call.
    public var targets = 10
    /// The share (0 to 1) of an activity's devices that report their token after its start.
    public var syncShare = 1.0
    /// The type of all activities.
    public var activityType = "LoadTestAttributes"
    /// The time from registration to `ends_at`.
    public var lifetime = TimeInterval.seconds(3600)
    /// The number of filler bytes in each content.
    public var contentBytes = 100
    /// The maximum number of activities at a time.
    public var maximumActivities = 1000
    /// The maximum number of calls under way.
    public var inFlight = 64
    /// True to register one activity with its whole segment, start it, and stop.
    public var startsOne = false

    public init() {}

    /// The maximum number of device reports under way, in addition to calls.
    static let followUps = 16
    static let chunk = 10_000

    var keepsSyncs: Bool { !sdkKeys.isEmpty && syncShare > 0 && !startsOne }

    /// The maximum number of scheduled calls.
    var callLimit: Int { min(calls ?? .max, target.maximumRequests) }

    /// Throws an error with a human-readable message if an option is invalid.
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
