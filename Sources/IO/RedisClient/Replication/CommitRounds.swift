/// Members that share waits. One wait is under way at a time, and members that come meanwhile share the next one. Pure.
public struct CommitRounds<Member> {
    private var current: [Member] = []
    private var next: [Member] = []

    public init() {}

    /// Adds a member that waits for all that has been written by now. True if its wait begins at once.
    public mutating func joined(_ member: Member) -> Bool {
        // The wait that is under way may be for less than what it has written.
        guard current.isEmpty else {
            next.append(member)
            return false
        }
        current.append(member)
        return true
    }

    /// Ends the wait that is under way. Returns its members, and true when the next one begins at once.
    public mutating func ended() -> (members: [Member], beginsNext: Bool) {
        let members = current
        current = next
        next = []
        return (members, !current.isEmpty)
    }
}
