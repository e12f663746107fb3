import Testing
import TimeCore

@testable import GatewayStore

@Suite("Which channels are deleted and forgotten")
struct ChannelRulesTests {
    private let rules = ChannelRules(grace: .seconds(60))
    private let now = WallTime(milliseconds: 1_000_000_000)

    @Test("One is kept while its activity lives, and for the grace from its end on; one that is not named for 5 min")
    func deletion() {
        let end = now + .seconds(10)
        #expect(rules.deletion(takenAt: now, by: .alive(namesChannel: true)) == nil)
        #expect(rules.deletion(takenAt: now, by: .ended(end, namesChannel: true)) == end + .seconds(60))
        for taker in [ChannelTaker.gone, .alive(namesChannel: false), .ended(end, namesChannel: false)] {
            #expect(rules.deletion(takenAt: now, by: taker) == now + .seconds(300))
        }
    }

    @Test("What APNs has not is missing, unless it is so new that the list may be older; what nobody knows is strange")
    func comparison() {
        let before = [
            "there": now, "old": WallTime(milliseconds: now.milliseconds - 120_000),
            "new": WallTime(milliseconds: now.milliseconds - 119_000),
        ]
        let (missing, strangers) = rules.compare(
            before: before, after: ["there", "old", "new", "made"], listed: ["there", "made", "b", "a", "a"], now: now)
        #expect(missing == ["old"])
        #expect(strangers == ["a", "b"])
    }
}
