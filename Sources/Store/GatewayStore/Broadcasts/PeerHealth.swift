public import Delivery
import TimeCore

/// What a gateway tells the others with a provider's key.
public struct PushHealthReport: Equatable, Sendable {
    /// Whether this gateway can push with the key, and since when.
    public var push: PushReport
    /// How many broadcasts wait here for nothing but retries.
    public var resting: Int

    public init(_ push: PushReport, resting: Int = 0) {
        self.push = push
        self.resting = resting
    }

    /// Ability, epoch milliseconds, broadcasts that rest, and the age in milliseconds where there is one; behind it 1
    /// when the credential is refused.
    func text(at now: WallTime) -> String {
        let text = "\(push.ability.rawValue):\(now.milliseconds):\(resting)"
        guard let age = push.age else { return text }
        return "\(text):\(age.nanoseconds / 1_000_000)\(push.isMisconfigured ? ":1" : "")"
    }

    private static let ages: Range<Int64> = 0..<1 << 40

    static func read(_ text: String) -> (report: PushHealthReport, at: WallTime)? {
        let parts = text.split(separator: ":").map { Int64($0) }
        guard parts.count >= 2, let number = parts[0], let ability = PushAbility(rawValue: Int(clamping: number)),
            let time = parts[1]
        else { return nil }
        let resting = parts.count > 2 ? parts[2] ?? 0 : 0
        // Whoever says what nobody can mean says nothing.
        let age = parts.count > 3 ? parts[3].flatMap { PushHealthReport.ages.contains($0) ? $0 : nil } : nil
        let push = PushReport(
            ability, age: age.map { .milliseconds(Int($0)) }, isMisconfigured: parts.count > 4 && parts[4] == 1)
        return (PushHealthReport(push, resting: Int(clamping: max(0, resting))), WallTime(milliseconds: time))
    }
}

/// How the other gateways with a provider's key fare.
public struct PeerHealth: Equatable, Sendable {
    /// What those have told that have told anything lately, as if they had told it now.
    public var pushes: [PushReport] = []
    /// How many broadcasts wait there for nothing but retries.
    public var resting = 0

    public init() {}

    /// How far another gateway's clock may be ahead.
    private static let mostAhead = TimeInterval.seconds(2)

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
            // By a clock that is far ahead it would count for longer than it is true.
            guard now <= at + maximumAge, at <= now + PeerHealth.mostAhead else { continue }
            var push = report.push
            let since = max(0, now.milliseconds - at.milliseconds)
            push.age = push.age.map { TimeInterval(nanoseconds: $0.nanoseconds + UInt64(since) * 1_000_000) }
            peers.pushes.append(push)
            peers.resting += report.resting
        }
        return (peers, gone)
    }
}
