import LiveActivity
public import TimeCore

/// A match day: devices follow topics, which go live, publish goals and end.
public struct TopicLoad: Sendable {
    /// The gateway and the devices.
    public var target = LoadTarget()
    /// The API key of the system that publishes the matches.
    public var apiKey = ""
    /// The SDK key of the devices.
    public var sdkKey = ""
    /// The tenant's identity secret; nil if devices report without signatures.
    public var identitySecret: String?
    /// True to register the devices and their push-to-start tokens first.
    public var registers = false
    /// The number of simultaneous matches. Each device follows one of them.
    public var topics = 1
    /// The prefix of the topics' names; a number follows.
    public var name = "load"
    /// The share (0 to 1) of devices that follow before kick-off.
    public var earlyShare = 0.5
    /// The time before kick-off in which early devices follow.
    public var before = TimeInterval.seconds(10)
    /// The time after kick-off in which the other devices follow.
    public var storm = TimeInterval.seconds(20)
    /// The time from kick-off to full time.
    public var length = TimeInterval.seconds(60)
    /// The number of new contents between kick-off and full time.
    public var goals = 5
    /// The share (0 to 1) of devices that report the token of their Live Activity.
    public var syncShare = 1.0
    /// The maximum delay of a report after its start.
    public var reportWithin = TimeInterval.seconds(20)
    /// The minimum delay of a report, because an app needs time between push and report. The player sees no pushes and
    /// takes a follow during a match for a start.
    public var reportAfter = TimeInterval.milliseconds(200)
    /// The share (0 to 1) of devices that unfollow before full time.
    public var unfollowShare = 0.05
    /// The share (0 to 1) of reporting devices that dismiss their Live Activity before full time.
    public var dismissShare = 0.02
    /// The type of the topics' activities.
    public var activityType = "LoadTestAttributes"
    /// The number of filler bytes in each content.
    public var contentBytes = 100
    /// The maximum number of connections, and so of calls under way.
    public var connections = 128
    /// The time limit of all ends after full time.
    public var settleWithin = TimeInterval.seconds(60)
    /// True to keep the topics and their followers after the run.
    public var keepsTopics = false

    public init() {}

    private static let mostTopics = 1_000
    private static let mostGoals = 1_000

    /// Returns the name of a topic. The index starts at 0.
    func topicName(_ topic: Int) -> String { "\(name)-\(topic + 1)" }

    /// A sentence that names the remaining topics.
    var leftTopics: String {
        let names = topics == 1 ? topicName(0) : "\(topicName(0)) to \(topicName(topics - 1))"
        return "\(names) remain; DELETE /api/v1/topics/NAME ends and removes a topic"
    }

    /// The expected number of requests, without readings and retries.
    var requestCount: Int {
        let shares = 1 + min(1, syncShare) + unfollowShare + dismissShare
        let perTopic = 1 + 1 + goals + 1 + (keepsTopics ? 0 : 1)
        return (registers ? 2 * target.devices : 0) + Int(Double(target.devices) * shares) + topics * perTopic
    }

    /// Throws an error with a human-readable message if an option is invalid.
    public func check() throws(LoadTestError) {
        try target.check()
        _ = try CallKey(apiKey, name: "the API key")
        _ = try DeviceCredential(sdkKey: sdkKey, identitySecret, target)
        guard (1...TopicLoad.mostTopics).contains(topics), topics <= target.devices else {
            throw LoadTestError("--topics must be 1 to 1,000, and at most the number of --devices")
        }
        guard name.utf8.count <= 100, TopicName.isValid(topicName(topics - 1)) else {
            throw LoadTestError("--topic must be 1 to 100 letters, digits and -._~:")
        }
        for (share, name) in [
            (earlyShare, "--early"), (syncShare, "--sync-share"), (unfollowShare, "--unfollow"),
            (dismissShare, "--dismiss"), (unfollowShare + dismissShare, "--unfollow and --dismiss together"),
        ] {
            guard (0...1).contains(share) else { throw LoadTestError("\(name) must be 0 to 1") }
        }
        for (time, name) in [
            (before, "--before"), (storm, "--storm"), (length, "--length"), (reportWithin, "--report-within"),
            (settleWithin, "--settle-within"),
        ] {
            guard time >= .milliseconds(1), time <= .seconds(86_400) else {
                throw LoadTestError("\(name) must be 1ms to 24h")
            }
        }
        guard storm <= length else { throw LoadTestError("--storm must be at most --length") }
        guard (0...TopicLoad.mostGoals).contains(goals) else { throw LoadTestError("--goals must be 0 to 1,000") }
        guard (0...4096).contains(contentBytes) else { throw LoadTestError("--content-bytes must be 0 to 4096") }
        guard (2...LoadTarget.mostConnections).contains(connections) else {
            throw LoadTestError("--connections must be 2 to 20,000")
        }
        try Field.check(activityType, "--activity-type")
        guard requestCount <= target.maximumRequests else {
            throw LoadTestError(
                "the run needs at least \(requestCount) requests, but --max-requests allows \(target.maximumRequests)")
        }
    }
}
