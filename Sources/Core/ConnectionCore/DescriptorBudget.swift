/// Divides a process's file descriptors. Some are reserved for Redis, providers, receivers of events, files and the
/// health listener. The rest serve client connections.
public struct DescriptorBudget: Equatable, Sendable {
    /// The maximum number of simultaneous client connections.
    public let connections: Int
    /// Descriptors that remain for all other uses.
    public let spare: Int
    /// The problem with the budget, if any.
    public let warning: Warning?

    /// A problem with a budget.
    public enum Warning: Equatable, Sendable {
        /// Too few descriptors for a gateway in production.
        case fewDescriptors
        /// The configuration has more connections than the descriptors allow.
        case moreThanDescriptors(asked: Int)
    }

    /// The maximum number of descriptors for Redis, receivers of events, listeners, reactors and files.
    private static let own = 256
    /// The number of connections below which a gateway suits only trials.
    public static let fewConnections = 1024
    /// The default maximum of connections, which bounds their memory.
    public static let mostByDefault = 65_536

    /// The maximum number of connections to providers. Each pool has one more for suspect tokens.
    /// - Parameters:
    ///   - apns: The connections of each app to each of Apple's two environments.
    ///   - fcm: The connections of each app; nil for an app without Android.
    public static func providerConnections(apns: Int, fcm: [Int?]) -> Int {
        fcm.reduce(0) { $0 + 2 * (apns + 1) + ($1.map { $0 + 1 } ?? 0) }
    }

    /// - Parameters:
    ///   - limit: The maximum number of open descriptors of the process.
    ///   - providerConnections: The maximum number of connections to providers.
    ///   - asked: The configured number of client connections; nil for `mostByDefault`.
    public init(limit: Int, providerConnections: Int, asked: Int?) {
        // A small limit is halved, because a gateway without descriptors for clients is useless.
        let kept = min(DescriptorBudget.own + providerConnections, limit / 2)
        let possible = max(1, limit - kept)
        connections = min(possible, asked ?? DescriptorBudget.mostByDefault)
        spare = max(0, limit - connections)
        warning =
            if let asked, asked > possible {
                .moreThanDescriptors(asked: asked)
            } else if asked == nil, possible < DescriptorBudget.fewConnections {
                .fewDescriptors
            } else {
                nil
            }
    }
}
