/// The kinds of `apns-topic`.
enum PushTopic {
    case empty
    /// A bundle identifier: that of the mock's app, or another.
    case app(isOurs: Bool)
    /// A bundle identifier with the suffix `.push-type.liveactivity`.
    case liveActivities(isOurs: Bool)

    /// True if the topic is the bundle identifier of the mock's app.
    var isOurApp: Bool {
        if case .app(isOurs: true) = self { return true }
        return false
    }

    /// Returns the rejection of this topic for a push type; nil if it is allowed. Another app's topic does not match
    /// the token; a topic of the wrong form is bad.
    func rejection(for type: MockPushType) -> Rejection? {
        switch (self, type) {
        case (.empty, _): .missingTopic
        case (.liveActivities(let isOurs), .liveActivity): isOurs ? nil : .deviceTokenNotForTopic
        case (.app(let isOurs), .alert), (.app(let isOurs), .background): isOurs ? nil : .deviceTokenNotForTopic
        default: .badTopic
        }
    }
}
