/// The next step that brings a topic's activity to the state that the owner requested. A pure value; the caller
/// computes a new one after each step.
///
/// 1. An activity of an earlier life of the topic, or of a topic that is not live, is ended first.
/// 2. A new activity is created only if none runs.
/// 3. Followers get the content that was sent last, so content is sent before followers are served.
public enum TopicStep: Equatable, Sendable {
    /// End the running activity with the topic's last content.
    case end
    /// Conclude the topic's present life, because the activity reached its end time or its lifetime.
    case conclude
    /// Create an activity for all followers, and start it.
    case goLive
    /// Send the newest content to the running activity.
    case update
    /// Process users who have started or stopped following.
    case serveFollowers
    /// Wait for a change.
    case rest
}

/// The inputs of the decision.
public struct TopicSituation: Equatable, Sendable {
    /// The state from the owner.
    public var state: TopicState
    /// The number of the present life, from 1 on. Another life begins when the topic leaves `ended`.
    public var life: Int
    /// The content's version, which grows with each accepted content.
    public var version: Int
    /// The life in which the last activity was created; nil if none was ever created.
    public var activityLife: Int?
    /// True if the topic ended the last activity.
    public var isOver: Bool
    /// True if the last activity accepts pushes.
    public var isRunning: Bool
    /// The version that was last sent to the activity.
    public var sent: Int

    public init(
        state: TopicState, life: Int, version: Int, activityLife: Int? = nil, isOver: Bool = false,
        isRunning: Bool = false, sent: Int = 0
    ) {
        self.state = state
        self.life = life
        self.version = version
        self.activityLife = activityLife
        self.isOver = isOver
        self.isRunning = isRunning
        self.sent = sent
    }

    /// The next step.
    public var next: TopicStep {
        if let activityLife, !isOver {
            let isPresent = state == .live && activityLife == life
            guard isRunning else { return .conclude }
            guard isPresent else { return .end }
            return sent < version ? .update : .serveFollowers
        }
        // Only another life of the topic creates another activity.
        if activityLife == life, isOver { return .rest }
        return state == .live ? .goLive : .rest
    }
}
