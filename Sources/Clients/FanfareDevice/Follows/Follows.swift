import Foundation

/// What the user follows: the user's own word first, then what the gateway has said.
struct Follows: Codable, Equatable, Sendable {
    /// As many as a gateway takes of a user.
    static let capacity = 1000

    struct Topic: Codable, Equatable, Sendable {
        /// What the user wants.
        var isFollowed: Bool
        /// What the gateway has confirmed last, of the user's wish or of a list.
        var confirmed: Bool?
        /// What it had confirmed before the wish that waits.
        var confirmedBefore: Bool?
        var state: TopicState?
        var activityID: String?
        var deviceState: String?
    }

    private(set) var topics: [String: Topic] = [:]

    static func isName(_ name: String) -> Bool {
        guard (1...128).contains(name.utf8.count), name != ".", name != ".." else { return false }
        return name.utf8.allSatisfy { $0.isUnreserved || $0 == UInt8(ascii: ":") }
    }

    /// Whether one more may be followed.
    func hasRoom(for name: String) -> Bool {
        topics[name]?.isFollowed == true || topics.values.count { $0.isFollowed } < Follows.capacity
    }

    /// The user wishes something. It holds at once.
    mutating func wished(_ follows: Bool, _ name: String) {
        var topic = topics[name] ?? Topic(isFollowed: follows)
        topic.isFollowed = follows
        // Until the gateway says so, nothing is known of what it has.
        if topic.confirmed != follows { topic.confirmedBefore = topic.confirmed ?? topic.confirmedBefore }
        topic.confirmed = nil
        topics[name] = topic
    }

    /// The gateway has noted a wish.
    mutating func confirmed(_ follows: Bool, _ name: String, state: TopicState?) {
        guard var topic = topics[name] else { return }
        topic.confirmedBefore = follows
        // An answer to an earlier wish says nothing of the one that waits.
        if topic.isFollowed == follows { topic.confirmed = follows }
        topic.state = state ?? topic.state
        topics[name] = topic
        forget(name)
    }

    /// The gateway does not take a wish: what it confirmed last holds again.
    mutating func refused(_ follows: Bool, _ name: String) {
        guard var topic = topics[name], topic.isFollowed == follows else { return }
        topic.isFollowed = topic.confirmedBefore ?? false
        topic.confirmed = topic.isFollowed
        topics[name] = topic
        forget(name)
    }

    /// What is not followed, and known to be so, is not kept.
    private mutating func forget(_ name: String) {
        if let topic = topics[name], !topic.isFollowed, topic.confirmed == false { topics[name] = nil }
    }

    /// The gateway has listed all that the user follows. What the user has wished since it was asked, and what still
    /// waits, stands above it.
    /// - Parameter waiting: topics of which a wish waits, as each does that was made since the gateway was asked.
    mutating func listed(_ list: [FollowedTopic], waiting: Set<String>) {
        let listed = Dictionary(list.map { ($0.topic, $0) }, uniquingKeysWith: { first, _ in first })
        for name in Set(topics.keys).union(listed.keys) {
            let entry = listed[name]
            guard entry != nil || topics[name] != nil else { continue }
            var topic = topics[name] ?? Topic(isFollowed: true)
            topic.state = entry?.state ?? topic.state
            topic.activityID = entry?.activityID
            topic.deviceState = entry?.deviceState
            if !waiting.contains(name) {
                topic.isFollowed = entry != nil
                topic.confirmed = entry != nil
                topic.confirmedBefore = topic.confirmed
            }
            topics[name] = topic
            forget(name)
        }
    }

    mutating func signedOut() { self = Follows() }

    /// - Parameters:
    ///   - isShown: whether a Live Activity of an activity is on this phone; nil: this phone does not know.
    func bell(_ name: String, allowsActivities: Bool, isShown: (String) -> Bool?) -> Bell {
        guard let topic = topics[name], topic.isFollowed else { return .off }
        guard allowsActivities else { return .noPermission }
        guard topic.confirmed == true, topic.state != .ended, let activityID = topic.activityID else { return .pending }
        if let isShown = isShown(activityID) { return isShown ? .live : .pending }
        return ["active", "shown"].contains(topic.deviceState) ? .live : .pending
    }
}
