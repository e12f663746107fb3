/// Who shares which wait: one is under way at a time, and all who come meanwhile share the next one. Pure.
struct CommitRounds<Member> {
    private var current: [Member] = []
    private var next: [Member] = []

    /// Somebody waits for what has been written by now. True when a wait begins at once.
    mutating func joined(_ member: Member) -> Bool {
        // The wait that is under way may be for less than what it has written.
        guard current.isEmpty else {
            next.append(member)
            return false
        }
        current.append(member)
        return true
    }

    /// The wait under way has ended: who shared it, and whether the next one begins at once.
    mutating func ended() -> (members: [Member], beginsNext: Bool) {
        let members = current
        current = next
        next = []
        return (members, !current.isEmpty)
    }
}
