/// What a topic names.
enum PushTopic {
    case empty
    /// The bundle identifier of the mock's app, or of another.
    case app(isOurs: Bool)
    /// The same with `.push-type.liveactivity` behind it.
    case liveActivities(isOurs: Bool)

    /// Whether it is the bundle identifier of the mock's app.
    var isOurApp: Bool {
        if case .app(isOurs: true) = self { return true }
        return false
    }

    /// Why a push of this kind may not have it; nil when it may. Another app's topic is not the token's; one of another
    /// form is bad.
    func rejection(for type: MockPushType) -> Rejection? {
        switch (self, type) {
        case (.empty, _): .missingTopic
        case (.liveActivities(let isOurs), .liveActivity): isOurs ? nil : .deviceTokenNotForTopic
        case (.app(let isOurs), .alert), (.app(let isOurs), .background): isOurs ? nil : .deviceTokenNotForTopic
        default: .badTopic
        }
    }
}
