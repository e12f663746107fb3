/// A phone that shows Live Activities like iOS: several of one type at once, each with a system id and a token.
package struct Phone: Sendable {
    /// A started Live Activity. It stays in the list when it is over.
    package struct LiveActivity: Sendable {
        package let systemID: Int
        package let attributes: [UInt8]
        package fileprivate(set) var state: [UInt8]
        package fileprivate(set) var timestamp: Int64
        package fileprivate(set) var isOver = false
        let app: Int
        let channel: String?
        let name: String?
        /// The first reported token. Later tokens of the system follow it.
        fileprivate var token: PushToken?
        fileprivate var laterTokens: [PushToken] = []

        func has(_ token: PushToken) -> Bool { self.token == token || laterTokens.contains(token) }
    }

    /// The Live Activities in order of their starts.
    package private(set) var liveActivities: [LiveActivity] = []
    /// The reasons of pushes that the app could not decode.
    package private(set) var drops: [String] = []

    package init() {}

    /// Adds a Live Activity. An Android app shows a name only once.
    mutating func start(_ message: PushMessage) {
        guard let app = message.app, let state = message.state else { return }
        if let name = message.name, liveActivities.contains(where: { $0.name == name && !$0.isOver }) { return }
        liveActivities.append(
            LiveActivity(
                systemID: liveActivities.count + 1, attributes: message.attributes, state: state,
                timestamp: message.timestamp, app: app, channel: message.channel, name: message.name))
    }

    /// Applies an update or end, unless the Live Activity is over or has a newer content.
    mutating func apply(_ message: PushMessage, at index: Int) {
        if let reason = message.mismatches[liveActivities[index].app] {
            return drop("\(message.event.rawValue): \(reason)")
        }
        guard !liveActivities[index].isOver, message.timestamp >= liveActivities[index].timestamp else { return }
        liveActivities[index].timestamp = message.timestamp
        liveActivities[index].isOver = message.event == .end
        if let state = message.state { liveActivities[index].state = state }
    }

    mutating func drop(_ reason: String) { drops.append(reason) }

    /// Binds a token to the newest Live Activity without one, or else adds it to the newest running one. A bound token
    /// keeps its Live Activity. Returns its index.
    /// - Parameter attributes: The attributes of the Live Activity. Nil means any, but then no token is added.
    mutating func report(_ token: PushToken, attributes: [UInt8]?) -> Int? {
        if let bound = liveActivities.firstIndex(where: { $0.has(token) }) { return bound }
        if let index = liveActivities.lastIndex(where: {
            $0.token == nil && $0.name == nil && (attributes == nil || $0.attributes == attributes)
        }) {
            liveActivities[index].token = token
            return index
        }
        guard let attributes, let index = liveActivities.lastIndex(where: { $0.attributes == attributes && !$0.isOver })
        else { return nil }
        liveActivities[index].laterTokens.append(token)
        return index
    }
}
