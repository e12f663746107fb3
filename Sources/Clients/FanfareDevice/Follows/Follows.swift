import Foundation

/// The topics that the user follows. Local changes override the gateway's data.
struct Follows: Codable, Equatable, Sendable {
    /// The gateway's limit for a user.
    static let capacity = 1000

    struct Topic: Codable, Equatable, Sendable {
        /// The user's choice.
        var isFollowed: Bool
        /// The last state that the gateway confirmed for the user's choice or in a list.
        var confirmed: Bool?
        /// The confirmed state before the pending change.
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

    /// True if the user may follow this topic within the limit.
    func hasRoom(for name: String) -> Bool {
        topics[name]?.isFollowed == true || topics.values.count { $0.isFollowed } < Follows.capacity
    }

    /// Records the user's choice, which applies at once.
    mutating func wished(_ follows: Bool, _ name: String) {
        var topic = topics[name] ?? Topic(isFollowed: follows)
        topic.isFollowed = follows
        // The gateway's state is unknown until it confirms the choice.
        if topic.confirmed != follows { topic.confirmedBefore = topic.confirmed ?? topic.confirmedBefore }
        topic.confirmed = nil
        topics[name] = topic
    }

    /// Records that the gateway accepted a choice.
    mutating func confirmed(_ follows: Bool, _ name: String, state: TopicState?) {
        guard var topic = topics[name] else { return }
        topic.confirmedBefore = follows
        // An answer to an earlier choice does not confirm the pending one.
        if topic.isFollowed == follows { topic.confirmed = follows }
        topic.state = state ?? topic.state
        topics[name] = topic
        forget(name)
    }

    /// Records that the gateway refused a choice. The last confirmed state applies again.
    mutating func refused(_ follows: Bool, _ name: String) {
        guard var topic = topics[name], topic.isFollowed == follows else { return }
        topic.isFollowed = topic.confirmedBefore ?? false
        topic.confirmed = topic.isFollowed
        topics[name] = topic
        forget(name)
    }

    /// Forgets a topic that is confirmed as not followed.
    private mutating func forget(_ name: String) {
        if let topic = topics[name], !topic.isFollowed, topic.confirmed == false { topics[name] = nil }
    }

    /// Merges the gateway's list of the user's topics. Choices that are still waiting override the list.
    /// - Parameter waiting: The topics with a waiting choice, including all choices since the request for the list.
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

    /// - Parameter isShown: Returns true if a Live Activity of an activity is on this phone; nil if unknown.
    func bell(_ name: String, allowsActivities: Bool, isShown: (String) -> Bool?) -> Bell {
        guard let topic = topics[name], topic.isFollowed else { return .off }
        guard allowsActivities else { return .noPermission }
        guard topic.confirmed == true, topic.state != .ended, let activityID = topic.activityID else { return .pending }
        if let isShown = isShown(activityID) { return isShown ? .live : .pending }
        return ["active", "shown"].contains(topic.deviceState) ? .live : .pending
    }
}
