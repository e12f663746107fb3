public import TimeCore

/// Whether a gateway can push with a provider's key, as it knows itself.
public enum PushAbility: Int, Sendable, CaseIterable {
    /// It is paused: it asks those who can to push for it.
    case cannot
    /// A connection takes pushes.
    case can
    /// Nothing is wrong, and there is no connection either: it has had nothing to push.
    case unknown
}

/// How many of the other gateways with a key can push with it.
public struct PeerAbilities: Equatable, Sendable {
    /// Those that have told that a connection takes pushes.
    public var can = 0
    /// Those that are paused.
    public var cannot = 0
    /// Those with nothing wrong and no connection.
    public var unknown = 0

    public init(can: Int = 0, cannot: Int = 0, unknown: Int = 0) {
        self.can = can
        self.cannot = cannot
        self.unknown = unknown
    }
}

/// What a gateway does about its jobs, by what it can and what others can. Pure.
public enum PushDuty: Equatable, Sendable {
    case goOn
    /// Others can push and this gateway cannot: its jobs are theirs.
    case letGo
    /// Nobody else can either: whoever has let go waits with the others for the provider.
    case takeUp
    /// Somebody cannot push, and this gateway does not know whether it can: it tries.
    case probe

    /// How long a pause lasts before the jobs are given to those who can push. A pause of a moment is the provider's, and
    /// everybody's.
    public static let leastPause = TimeInterval.seconds(1)

    /// - Parameters:
    ///   - paused: for how long this gateway has been.
    ///   - hasLetGo: whether its jobs are left to others already.
    public init(_ own: PushAbility, paused: TimeInterval, hasLetGo: Bool, peers: PeerAbilities) {
        switch own {
        case .can: self = .goOn
        case .unknown: self = peers.cannot > 0 ? .probe : .goOn
        case .cannot where peers.can > 0: self = paused >= PushDuty.leastPause ? .letGo : .goOn
        // Those who do not know are about to find out.
        case .cannot: self = hasLetGo && peers.unknown == 0 ? .takeUp : .goOn
        }
    }
}
