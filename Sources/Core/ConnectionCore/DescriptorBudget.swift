/// How a process's file descriptors are shared out: so many are kept for what a gateway cannot do without (Redis,
/// providers, receivers of events, files, the listener for health), and the rest are for connections of clients.
public struct DescriptorBudget: Equatable, Sendable {
    /// How many connections of clients there may be at once.
    public let connections: Int
    /// Descriptors that are left to everything else.
    public let spare: Int
    /// What is wrong with it.
    public let warning: Warning?

    /// Why a budget is not what it should be.
    public enum Warning: Equatable, Sendable {
        /// There are too few for a gateway that is meant to serve many.
        case fewDescriptors
        /// More connections are asked for than descriptors allow.
        case moreThanDescriptors(asked: Int)
    }

    /// What Redis, receivers of events, listeners, the reactors and files take at most.
    private static let own = 256
    /// A gateway with fewer connections than these is one for trials.
    public static let fewConnections = 1024
    /// The most connections that are taken without being asked to: what they need in memory is bounded as well.
    public static let mostByDefault = 65_536

    /// How many connections to providers there may be. Each pool has one more, for tokens that are suspect.
    /// - Parameters:
    ///   - apns: of each app to each of Apple's two environments.
    ///   - fcm: of each app in turn; nil for one without Android.
    public static func providerConnections(apns: Int, fcm: [Int?]) -> Int {
        fcm.reduce(0) { $0 + 2 * (apns + 1) + ($1.map { $0 + 1 } ?? 0) }
    }

    /// - Parameters:
    ///   - limit: descriptors that the process may have open.
    ///   - providerConnections: connections to providers, at most.
    ///   - asked: connections of clients that the configuration allows; nil for as many as there can be.
    public init(limit: Int, providerConnections: Int, asked: Int?) {
        // A small limit is halved: a gateway that has no descriptors for clients is of no use either.
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
