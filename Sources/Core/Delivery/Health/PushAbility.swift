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

/// What a gateway tells of its pushes with a provider's key.
public struct PushReport: Equatable, Sendable {
    /// What it holds itself for.
    public var ability: PushAbility
    /// `can`: how long ago the provider has last served it, nil when it never has. `cannot`: for how long it has been
    /// paused, nil when that was not told.
    public var age: TimeInterval?
    /// With `cannot`: true if the provider refuses the gateway's credential or topic. Its configuration is then at
    /// fault, not the provider.
    public var isMisconfigured: Bool

    public init(_ ability: PushAbility, age: TimeInterval? = nil, isMisconfigured: Bool = false) {
        self.ability = ability
        self.age = age
        self.isMisconfigured = isMisconfigured
    }
}

/// How many of the other gateways with a key can push with it, as a gateway sees it.
///
/// A provider that is away is away for all, and those with nothing to push notice last: what one of them could do
/// before says nothing of now. So to a gateway that is paused only those can push whom the provider has served since,
/// and lately. Where its credential is refused that is all the same.
public struct PeerAbilities: Equatable, Sendable {
    /// Those that have told that a connection takes pushes, and have shown it.
    public var can = 0
    /// Those that are paused.
    public var cannot = 0
    /// All others.
    public var unknown = 0
    /// How long ago the last of them was paused whose credential is not refused.
    public var newestPause: TimeInterval?

    public init(can: Int = 0, cannot: Int = 0, unknown: Int = 0, newestPause: TimeInterval? = nil) {
        self.can = can
        self.cannot = cannot
        self.unknown = unknown
        self.newestPause = newestPause
    }

    /// - Parameter own: of the gateway that has heard of these.
    public init(_ peers: [PushReport], seenBy own: PushReport) {
        for peer in peers {
            switch peer.ability {
            case .can where own.ability != .cannot || own.isMisconfigured: can += 1
            case .can where peer.isServed(since: own.age, within: PushDuty.longestSilence): can += 1
            case .can, .unknown: unknown += 1
            case .cannot:
                cannot += 1
                if let age = peer.age, !peer.isMisconfigured { newestPause = min(newestPause ?? age, age) }
            }
        }
    }
}

extension PushReport {
    /// Whether the provider has served it since then, and within so long.
    fileprivate func isServed(since time: TimeInterval?, within longest: TimeInterval) -> Bool {
        guard let age, let time else { return false }
        return age <= min(time, longest)
    }
}

/// What a gateway does about its jobs, by what it can and what others can. Pure.
public enum PushDuty: Equatable, Sendable {
    case goOn
    /// Others can push and this gateway cannot: its jobs are theirs.
    case letGo
    /// Nobody else can either: whoever has let go waits with the others for the provider.
    case takeUp
    /// What others say is news to this gateway: it tries whether it can push.
    case probe

    /// For how long others can push before the jobs are given to them: time enough to find that the provider serves
    /// this gateway as well.
    public static let leastWait = TimeInterval.seconds(2)
    /// Who was served longer ago does not count as able while others are paused, and tries again well before.
    public static let longestSilence = TimeInterval.seconds(10)

    /// - Parameters:
    ///   - hasLetGo: whether this gateway's jobs are left to others already.
    ///   - othersCan: since how long it has known that `peers` can and it cannot; nil when that is new.
    public init(_ own: PushReport, hasLetGo: Bool, othersCan: TimeInterval?, peers: PeerAbilities) {
        switch own.ability {
        case .can:
            let half = TimeInterval(nanoseconds: PushDuty.longestSilence.nanoseconds / 2)
            let isShown = peers.newestPause.map { own.isServed(since: $0, within: half) } ?? true
            self = isShown ? .goOn : .probe
        case .unknown: self = peers.cannot > 0 ? .probe : .goOn
        case .cannot where peers.can > 0:
            if hasLetGo || own.isMisconfigured {
                self = .letGo
            } else {
                self = othersCan.map { $0 >= PushDuty.leastWait ? .letGo : .goOn } ?? .probe
            }
        // Those who do not know are about to find out.
        case .cannot: self = hasLetGo && peers.unknown == 0 ? .takeUp : .goOn
        }
    }
}
