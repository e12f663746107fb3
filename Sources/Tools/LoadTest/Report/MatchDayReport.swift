/// The results of a match day's topics, according to the gateway.
public struct MatchDayReport: Sendable {
    /// The starts of all topics when they went live.
    public struct Opening: Sendable, Equatable {
        /// The number of topics whose start was observed to finish.
        public var topics = 0
        /// The number of devices in these starts.
        public var devices = 0
        /// The number of starts that the provider accepted.
        public var accepted = 0
        /// The time from going live to the last start of the slowest topic, in seconds.
        public var seconds = 0.0
    }

    /// The number of topics.
    public let topics: Int
    /// The starts when the topics went live.
    public private(set) var opening = Opening()
    /// The number of devices by state, after full time.
    public let states: [LoadReport.Tally]
    /// The number of ended devices by reason.
    public let ends: [LoadReport.Tally]
    /// The number of devices whose token report was still pending when their topic ended.
    public let unreported: Int
    /// The number of topics that did not settle in time.
    public let unsettled: Int

    /// True if every topic settled and every device was started.
    public var isWhole: Bool { unsettled == 0 && !states.contains { MatchDayReport.isBad($0.name) } }

    /// True for device states that must not occur after full time, by their names in the API.
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
