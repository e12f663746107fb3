/// A phone that shows Live Activities as iOS does: several of one type at once, each with a system id and a token.
package struct Phone: Sendable {
    /// A Live Activity that was started. It stays in the list when it is over.
    package struct LiveActivity: Sendable {
        package let systemID: Int
        package let attributes: [UInt8]
        package fileprivate(set) var state: [UInt8]
        package fileprivate(set) var timestamp: Int64
        package fileprivate(set) var isOver = false
        let app: Int
        let channel: String?
        let name: String?
        /// The token that it reported first, and those that the system gave it later.
        fileprivate var token: PushToken?
        fileprivate var laterTokens: [PushToken] = []

        func has(_ token: PushToken) -> Bool { self.token == token || laterTokens.contains(token) }
    }

    /// In the order of their starts.
    package private(set) var liveActivities: [LiveActivity] = []
    /// Reasons of pushes that the app could not decode.
    package private(set) var drops: [String] = []

    package init() {}

    /// Shows a new Live Activity. An Android app shows a name once.
    mutating func start(_ message: PushMessage) {
        guard let app = message.app, let state = message.state else { return }
        if let name = message.name, liveActivities.contains(where: { $0.name == name && !$0.isOver }) { return }
        liveActivities.append(
            LiveActivity(
                systemID: liveActivities.count + 1, attributes: message.attributes, state: state,
                timestamp: message.timestamp, app: app, channel: message.channel, name: message.name))
    }

    /// Applies an update or end to a Live Activity, unless that is over or shows something newer.
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

    /// Binds a token to the newest Live Activity that has none, or as a further one to that with these attributes.
    /// A bound token stays where it is.
    /// - Parameter attributes: Only to a Live Activity with these attributes; nil means any.
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
