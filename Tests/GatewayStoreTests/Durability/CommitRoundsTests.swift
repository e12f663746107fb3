import Testing

@testable import GatewayStore

@Suite("Who shares a wait for the append-only file")
struct CommitRoundsTests {
    @Test("Whoever comes while a wait is under way is in the next one, with all who come until it begins")
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
