import APNsCore
import Testing
import TimeCore

@Suite("When calls about channels are made")
struct ChannelSupplyTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    @Test("After trouble the next one waits for a growing while, as long as APNs asks for, and 5 min at most")
    func trouble() {
        var supply = ChannelSupply()
        #expect(supply.mayAsk(now: start) && supply.state == .ready)
        #expect(supply.answered(.later("x", after: .zero), now: start, random: 0) == .trouble)
        #expect(!supply.mayAsk(now: start + .milliseconds(999)) && supply.mayAsk(now: start + .seconds(1)))
        // The trouble is reported once.
        #expect(supply.answered(.unanswered("x"), now: start, random: 0) == nil)
        #expect(!supply.mayAsk(now: start + .milliseconds(1_999)) && supply.mayAsk(now: start + .seconds(2)))
        _ = supply.answered(.later("x", after: .seconds(40)), now: start, random: 0)
        #expect(!supply.mayAsk(now: start + .seconds(39)) && supply.mayAsk(now: start + .seconds(40)))
        for _ in 0..<70 { _ = supply.answered(.unanswered("x"), now: start, random: .max) }
        #expect(supply.mayAsk(now: start + .seconds(300)))
        #expect(supply.answered(.created("c"), now: start, random: 0) == .ready && supply.mayAsk(now: start))
        _ = supply.answered(.unanswered("x"), now: start, random: 0)
        #expect(supply.mayAsk(now: start + .seconds(1)), "begins anew")
    }

    @Test(
        "Where nothing is to be had nothing is asked for half an hour at least, and an hour at most",
        arguments: [
            (ChannelAnswer.limitReached, ChannelSupply.State.limitReached), (.featureOff, .featureOff),
            (.credentialRefused("x"), .credentialRefused), (.tokenExpired, .credentialRefused),
        ])
    func refusals(answer: ChannelAnswer, state: ChannelSupply.State) {
        var supply = ChannelSupply()
        #expect(supply.answered(answer, now: start, random: 0) == state && supply.state == state)
        #expect(!supply.mayAsk(now: start + .seconds(1_799)) && supply.mayAsk(now: start + .seconds(1_800)))
        _ = supply.answered(answer, now: start, random: 1_800_000_000_000)
        #expect(!supply.mayAsk(now: start + .seconds(3_599)) && supply.mayAsk(now: start + .seconds(3_600)))
        supply.channelDeleted()
        #expect(supply.mayAsk(now: start) == (state == .limitReached), "a deleted channel makes room, and no more")
    }
}
