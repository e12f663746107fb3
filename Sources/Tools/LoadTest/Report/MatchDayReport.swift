/// What became of the topics of a match day, as the gateway tells it.
public struct MatchDayReport: Sendable {
    /// The starts that went out when topics went live, of all of them together.
    public struct Opening: Sendable, Equatable {
        /// Topics whose start was seen to be over.
        public var topics = 0
        /// Devices of their followers.
        public var devices = 0
        /// Of these, how many starts the provider accepted.
        public var accepted = 0
        /// From going live to the last of its starts, in seconds, of the topic that took longest.
        public var seconds = 0.0
    }

    /// How many topics there were.
    public let topics: Int
    /// The starts when they went live.
    public private(set) var opening = Opening()
    /// Devices of the topics' activities by state, after full time.
    public let states: [LoadReport.Tally]
    /// Those that ended, by reason.
    public let ends: [LoadReport.Tally]
    /// Devices that were to report a token, and had not when their topic ended.
    public let unreported: Int
    /// Topics that had not come to rest when the time for it was over.
    public let unsettled: Int

    /// Whether every topic came to rest, and every device in it was started.
    public var isWhole: Bool { unsettled == 0 && !states.contains { MatchDayReport.isBad($0.name) } }

    /// Of the states of a device, those that none should be in after full time (the API guide's words).
    static func isBad(_ state: String) -> Bool { ["registered", "failed", "unknown", "unsent"].contains(state) }

    init(_ player: MatchPlayer, _ settled: SettlingPlayer) {
        topics = settled.readings.count
        unreported = player.unreported
        unsettled = settled.unsettled
        for one in player.openings {
            guard let seconds = one.seconds else { continue }
            opening.topics += 1
            opening.devices += one.devices
            opening.accepted += one.accepted
            opening.seconds = max(opening.seconds, seconds)
        }
        let readings = settled.readings.compactMap { $0 }
        states = MatchDayReport.sum(readings.map(\.states))
        ends = MatchDayReport.sum(readings.map(\.ends))
    }

    private static func sum(_ counts: [[String: Int]]) -> [LoadReport.Tally] {
        let sum = counts.reduce(into: [String: Int]()) { $0.merge($1, uniquingKeysWith: +) }
        return LoadReport.Tally.sorted(sum.filter { $0.value > 0 })
    }
}
