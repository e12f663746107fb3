/// The work that is left to do for a topic, as status replies name it.
public enum TopicWork: String, CaseIterable, Sendable {
    /// The Live Activities are as the topic says.
    case none
    /// The topic is live, and no follower has a device that can be started.
    case waiting
    /// An activity is being made and started for the followers.
    case starting
    /// The running activity lacks the newest content.
    case updating
    /// Followers have come or gone, or the list has changed.
    case following
    /// The running activity is to be ended.
    case ending
}

extension TopicSituation {
    /// The work that `next` leads to.
    /// - Parameters:
    ///   - hasQueue: True if followers are queued, or the list has changed.
    ///   - hasWalked: True if all followers of this life were read, and none could be started.
    public func work(hasQueue: Bool, hasWalked: Bool) -> TopicWork {
        switch next {
        case .end, .conclude: .ending
        case .goLive: hasWalked && !hasQueue ? .waiting : .starting
        case .update: .updating
        case .serveFollowers: hasQueue ? .following : .none
        case .rest: .none
        }
    }
}
