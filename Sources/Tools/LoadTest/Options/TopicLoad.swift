import LiveActivity
public import TimeCore

/// A match day: devices follow topics, which go live, have their goals and come to an end.
public struct TopicLoad: Sendable {
    /// Whom to call.
    public var target = LoadTarget()
    /// The key of the system that says where the matches stand.
    public var apiKey = ""
    /// The key that the devices carry.
    public var sdkKey = ""
    /// What their tenant's server signs with; nil: they report without a signature.
    public var identitySecret: String?
    /// Registers the devices and their push-to-start tokens first.
    public var registers = false
    /// How many matches are played at a time. Each device follows one of them.
    public var topics = 1
    /// What the topics' names begin with; a number follows.
    public var name = "load"
    /// Of the devices, how many follow before kick-off, 0 to 1.
    public var earlyShare = 0.5
    /// These follow within this time before kick-off.
    public var before = TimeInterval.seconds(10)
    /// The others follow within this time after kick-off.
    public var storm = TimeInterval.seconds(20)
    /// From kick-off to full time.
    public var length = TimeInterval.seconds(60)
    /// New contents of a match between the two.
    public var goals = 5
    /// Of the devices, how many report the token of their Live Activity, 0 to 1.
    public var syncShare = 1.0
    /// They report within this time after their start.
    public var reportWithin = TimeInterval.seconds(20)
    /// And no sooner than this: an app needs a moment between the push and its report, and the player, which sees no
    /// pushes, takes a follow during a match for a start.
    public var reportAfter = TimeInterval.milliseconds(200)
    /// Of the devices, how many stop following before full time, 0 to 1.
    public var unfollowShare = 0.05
    /// Of the devices that report, how many dismiss their Live Activity before full time, 0 to 1.
    public var dismissShare = 0.02
    /// The type of the topics' activities.
    public var activityType = "LoadTestAttributes"
    /// Bytes by which each content is made longer.
    public var contentBytes = 100
    /// Connections, and so calls under way, at most.
    public var connections = 128
    /// How long after full time the ends may take.
    public var settleWithin = TimeInterval.seconds(60)
    /// Leaves the topics where they are, with their followers.
    public var keepsTopics = false

    public init() {}

    private static let mostTopics = 1_000
    private static let mostGoals = 1_000

    /// The name of a topic, from 0.
    func topicName(_ topic: Int) -> String { "\(name)-\(topic + 1)" }

    /// Says which topics are left where they are.
    var leftTopics: String {
        let names = topics == 1 ? topicName(0) : "\(topicName(0)) to \(topicName(topics - 1))"
        return "\(names) remain; DELETE /api/v1/topics/NAME ends and removes a topic"
    }

    /// Requests that are made at least.
    var requestCount: Int {
        let shares = 1 + min(1, syncShare) + unfollowShare + dismissShare
        let perTopic = 1 + 1 + goals + 1 + (keepsTopics ? 0 : 1)
        return (registers ? 2 * target.devices : 0) + Int(Double(target.devices) * shares) + topics * perTopic
    }

    /// Throws a sentence for people when something makes no sense.
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
