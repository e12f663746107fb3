import Testing

@testable import RedisClient

@Suite("Writes that share a wait")
struct CommitRoundsTests {
    @Test("A member that comes while a wait is under way shares the next one with all that come until it begins")
    func sharing() {
        var rounds = CommitRounds<Int>()
        let beginnings = [rounds.joined(1), rounds.joined(2), rounds.joined(3)]
        #expect(beginnings == [true, false, false])
        let first = rounds.ended()
        #expect(first.members == [1] && first.beginsNext)
        let joinsSecond = !rounds.joined(4)
        let second = rounds.ended()
        #expect(second.members == [2, 3] && second.beginsNext)
        let third = rounds.ended()
        #expect(third.members == [4] && !third.beginsNext && joinsSecond)
        let beginsAgain = rounds.joined(5)
        #expect(beginsAgain)
    }
}
