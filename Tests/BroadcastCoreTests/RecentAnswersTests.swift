import BroadcastCore
import Testing
import TimeCore

@Suite("Recent answers")
struct RecentAnswersTests {
    @Test("An answer counts for five to ten seconds")
    func window() {
        var answers = RecentAnswers()
        var now = MonotonicTime(nanoseconds: 1)
        answers.add(3, now: now)
        now = now + .seconds(4)
        answers.add(4, now: now)
        #expect(answers.count(now: now) == 7)
        #expect(answers.count(now: now + .seconds(5)) == 7)
        #expect(answers.count(now: now + .seconds(6)) == 0)
        answers.add(5, now: now + .seconds(60))
        #expect(answers.count(now: now + .seconds(60)) == 5)
    }
}
