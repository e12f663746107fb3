public import Delivery
import TimeCore

/// What a gateway tells the others with a provider's key.
public struct PushHealthReport: Equatable, Sendable {
    /// Whether this gateway can push with the key.
    public var ability: PushAbility
    /// How many broadcasts wait here for nothing but retries.
    public var resting: Int

    public init(_ ability: PushAbility, resting: Int = 0) {
        self.ability = ability
        self.resting = resting
    }

    /// Ability, epoch milliseconds, broadcasts that rest.
    func text(at now: WallTime) -> String { "\(ability.rawValue):\(now.milliseconds):\(resting)" }

    static func read(_ text: String) -> (report: PushHealthReport, at: WallTime)? {
        let parts = text.split(separator: ":").map { Int64($0) }
        guard parts.count >= 2, let number = parts[0], let ability = PushAbility(rawValue: Int(clamping: number)),
            let time = parts[1]
        else { return nil }
        let resting = parts.count > 2 ? parts[2] ?? 0 : 0
        return (PushHealthReport(ability, resting: Int(clamping: max(0, resting))), WallTime(milliseconds: time))
    }
}

/// How the other gateways with a provider's key fare.
public struct PeerHealth: Equatable, Sendable {
    /// How many of them can push, cannot, and do not know. Those that have not told lately are not counted.
    public var abilities = PeerAbilities()
    /// How many broadcasts wait there for nothing but retries.
    public var resting = 0

    public init() {}

    /// How long a gateway that says nothing more is remembered.
    static func kept(_ maximumAge: TimeInterval) -> TimeInterval {
        TimeInterval(nanoseconds: maximumAge.nanoseconds * 10)
    }

    /// - Returns: what the others have told, and those to be forgotten.
    static func read(
        _ fields: [(String, String)], now: WallTime, maximumAge: TimeInterval
    ) -> (peers: PeerHealth, gone: [String]) {
        var peers = PeerHealth()
        var gone: [String] = []
        for (name, text) in fields {
            guard let (report, at) = PushHealthReport.read(text), now <= at + kept(maximumAge) else {
                gone.append(name)
                continue
            }
            guard now <= at + maximumAge else { continue }
            switch report.ability {
            case .can: peers.abilities.can += 1
            case .cannot: peers.abilities.cannot += 1
            case .unknown: peers.abilities.unknown += 1
            }
            peers.resting += report.resting
        }
        return (peers, gone)
    }
}
