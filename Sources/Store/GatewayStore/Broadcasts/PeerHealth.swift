public import Delivery
import TimeCore

/// The report of a gateway to the others with a provider's key.
public struct PushHealthReport: Equatable, Sendable {
    /// The ability of this gateway to push with the key, and its age.
    public var push: PushReport
    /// The number of broadcasts that wait here only for retries.
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
        guard parts.count >= 3, let number = parts[0], let ability = PushAbility(rawValue: Int(clamping: number)),
            let time = parts[1], let resting = parts[2]
        else { return nil }
        // An impossible age counts as none.
        let age = parts.count > 3 ? parts[3].flatMap { PushHealthReport.ages.contains($0) ? $0 : nil } : nil
        let push = PushReport(
            ability, age: age.map { .milliseconds(Int($0)) }, isMisconfigured: parts.count > 4 && parts[4] == 1)
        return (PushHealthReport(push, resting: Int(clamping: max(0, resting))), WallTime(milliseconds: time))
    }
}

/// The health of the other gateways with a provider's key.
public struct PeerHealth: Equatable, Sendable {
    /// The recent reports, with ages as of now.
    public var pushes: [PushReport] = []
    /// The number of broadcasts that wait there only for retries.
    public var resting = 0

    public init() {}

    /// The time by which another gateway's clock may be ahead.
    private static let mostAhead = TimeInterval.seconds(2)

    /// The time for which a silent gateway is remembered.
    static func kept(_ maximumAge: TimeInterval) -> TimeInterval {
        TimeInterval(nanoseconds: maximumAge.nanoseconds * 10)
    }

    /// - Returns: The reports of the others, and the gateways to be forgotten.
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
