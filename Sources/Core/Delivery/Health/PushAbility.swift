public import TimeCore

/// A gateway's ability to push with a provider's key, as far as it knows.
public enum PushAbility: Int, Sendable, CaseIterable {
    /// The provider is paused. Gateways that can push take over the jobs.
    case cannot
    /// A connection takes pushes.
    case can
    /// No failure is known, but there is no connection because there was nothing to push.
    case unknown
}

/// A gateway's report to the others about its pushes with a provider's key.
public struct PushReport: Equatable, Sendable {
    /// The gateway's ability to push.
    public var ability: PushAbility
    /// With `can`, the time since the provider last served the gateway; nil if it never has. With `cannot`, the length
    /// of the pause; nil if it is not known.
    public var age: TimeInterval?
    /// With `cannot`, true if the provider refuses the gateway's credential or topic. The cause is then its
    /// configuration, not the provider.
    public var isMisconfigured: Bool

    public init(_ ability: PushAbility, age: TimeInterval? = nil, isMisconfigured: Bool = false) {
        self.ability = ability
        self.age = age
        self.isMisconfigured = isMisconfigured
    }
}

/// The abilities of the other gateways with a key, from one gateway's point of view.
///
/// An outage affects all gateways, and idle ones detect it last. A paused gateway therefore trusts only peers that the
/// provider has served recently and since its pause began. This does not apply if the pause is due to its own refused
/// credential.
public struct PeerAbilities: Equatable, Sendable {
    /// The gateways that can push. A paused gateway counts only those with recent proof.
    public var can = 0
    /// The paused gateways.
    public var cannot = 0
    /// All other gateways.
    public var unknown = 0
    /// The time since the latest pause of a gateway whose credential is not refused.
    public var newestPause: TimeInterval?

    public init(can: Int = 0, cannot: Int = 0, unknown: Int = 0, newestPause: TimeInterval? = nil) {
        self.can = can
        self.cannot = cannot
        self.unknown = unknown
        self.newestPause = newestPause
    }

    /// - Parameter own: The report of the gateway with this view.
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
    /// True if the provider has served the gateway within both times.
    fileprivate func isServed(since time: TimeInterval?, within longest: TimeInterval) -> Bool {
        guard let age, let time else { return false }
        return age <= min(time, longest)
    }
}

/// A gateway's action on its jobs, decided by its own ability and the others'. A pure function.
public enum PushDuty: Equatable, Sendable {
    case goOn
    /// Others can push and this gateway cannot, so it leaves its jobs to them.
    case letGo
    /// No gateway can push, so this one acquires jobs again and waits for the provider with the others.
    case takeUp
    /// Others' reports contradict this gateway's state, so it tests if it can push.
    case probe

    /// The time for which others must be able to push before they get the jobs. It lets this gateway find out if the
    /// provider serves it too.
    public static let leastWait = TimeInterval.seconds(2)
    /// The age at which the last success no longer proves an ability while others are paused. Retries are more
    /// frequent.
    public static let longestSilence = TimeInterval.seconds(10)

    /// - Parameters:
    ///   - hasLetGo: True if this gateway has left its jobs to others.
    ///   - othersCan: The time since it found that `peers` can push and it cannot; nil if that is new.
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
        // Gateways in state `unknown` are about to try.
        case .cannot: self = hasLetGo && peers.unknown == 0 ? .takeUp : .goOn
        }
    }
}
