import Testing
import TimeCore

@Suite("Pauses between attempts")
struct BackoffTests {
    private let backoff = Backoff(first: .milliseconds(50), longest: .seconds(2))

    @Test("They double up to the longest, however many failures there are")
    func doubling() {
        let pauses = (1...8).map { backoff.pause(after: $0).millisecondsRoundedUp }
        #expect(pauses == [50, 100, 200, 400, 800, 1600, 2000, 2000])
        #expect(backoff.pause(after: 1_000_000) == .seconds(2) && backoff.pause(after: 0) == .milliseconds(50))
        let long = Backoff(first: .seconds(1 << 31), longest: .seconds(1 << 33))
        #expect((30...70).allSatisfy { long.pause(after: $0) == .seconds(1 << 33) })
        #expect(Backoff(first: .seconds(5), longest: .seconds(1)).pause(after: 1) == .seconds(1))
    }

    @Test("Chance cuts them to between half and the whole")
    func jitter() {
        #expect(backoff.pause(after: 1, jitter: 0) == .milliseconds(25))
        #expect(backoff.pause(after: 1, jitter: 0.5) == .microseconds(37_500))
        #expect(backoff.pause(after: 1, jitter: 1) == .milliseconds(50))
        #expect(backoff.pause(after: 1, jitter: -3) == .milliseconds(25))
        #expect(backoff.pause(after: 1_000_000, jitter: 7) == .seconds(2))
    }

    @Test("So does any number", arguments: [0, 1, 77, .max])
    func random(number: UInt64) {
        for failures in 1...100 {
            let whole = backoff.pause(after: failures)
            #expect((TimeInterval(nanoseconds: whole.nanoseconds / 2)...whole).contains(whole.cut(random: number)))
        }
        #expect(TimeInterval.zero.cut(random: number) == .zero)
        #expect(TimeInterval(nanoseconds: 3).cut(random: number).nanoseconds == 1 + number % 3)
    }
}
