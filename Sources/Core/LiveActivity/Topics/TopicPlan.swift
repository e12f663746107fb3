/// What is to be done for a topic next, so that its activity becomes what its owner has asked for. A value, without
/// store or clock: whoever drives a topic asks again after each step.
///
/// 1. An activity that belongs to an earlier life of the topic, or to a topic that is not live, is ended before
///    anything else.
/// 2. A new activity is made only when there is none that runs.
/// 3. Followers are served with the content that the activity was told last, so content goes ahead of followers.
public enum TopicStep: Equatable, Sendable {
    /// The running activity is ended with the topic's last content.
    case end
    /// The activity has ended by itself (its time is up, or its lifetime): so has the topic's present life.
    case conclude
    /// An activity is made for all followers, and started.
    case goLive
    /// The running activity is told the newest content.
    case update
    /// Whoever has begun or stopped to follow is seen to.
    case serveFollowers
    /// Nothing, until something changes.
    case rest
}

/// What decides it.
public struct TopicSituation: Equatable, Sendable {
    /// What the owner says.
    public var state: TopicState
    /// Counts how often the topic has become something else after an end.
    public var life: Int
    /// Grows with each accepted content.
    public var version: Int
    /// The life that the last activity was made in; nil when none was ever made.
    public var activityLife: Int?
    /// Whether the last activity was ended by its topic.
    public var isOver: Bool
    /// Whether the last activity can still be sent to.
    public var isRunning: Bool
    /// The version that the last activity was told.
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
        // The activity of this life is over: only another life brings another one.
        if activityLife == life, isOver { return .rest }
        return state == .live ? .goLive : .rest
    }
}
