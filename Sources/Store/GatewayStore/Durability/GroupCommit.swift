import Reactor
import RedisClient

/// How many starts were held back until the append-only file had them.
public struct CommitCounts: Equatable, Sendable {
    /// The file had them in time.
    public internal(set) var acknowledged = 0
    /// They went on without Redis's word for it: should it be killed, they may be lost.
    public internal(set) var unacknowledged = 0
}

/// Holds answers back until what they are about is in Redis's append-only file, where Redis can tell. Many share one
/// wait.
final class GroupCommit: Sendable {
    private typealias Member = CheckedContinuation<Bool, Never>

    private struct State {
        var isNeeded = false
        var rounds = CommitRounds<Member>()
        var counts = CommitCounts()
    }

    private let state = Locked(State())
    private let wait: @Sendable () async -> Bool

    /// - Parameter wait: returns when the file has what was written before it was called, with true; with false when
    ///   that is not known in time. Called again only when it has returned.
    init(wait: @escaping @Sendable () async -> Bool) {
        self.wait = wait
    }

    /// Whether answers are held back. Not at first.
    var isNeeded: Bool {
        get { state.withLock { $0.isNeeded } }
        set { state.withLock { $0.isNeeded = newValue } }
    }

    var counts: CommitCounts { state.withLock { $0.counts } }

    /// Returns when the file has what Redis has answered before, or when that has taken too long, which is counted; at
    /// once while it is not needed.
    func hold() async {
        guard isNeeded else { return }
        let isWritten = await withCheckedContinuation { member in
            if state.withLock({ $0.rounds.joined(member) }) { begin() }
        }
        state.withLock { state in
            if isWritten { state.counts.acknowledged += 1 } else { state.counts.unacknowledged += 1 }
        }
    }

    private func begin() {
        // Of nobody's task: those who share it must not lose it with the one who came first.
        Task {
            let isWritten = await wait()
            let (members, beginsNext) = state.withLock { $0.rounds.ended() }
            for member in members { member.resume(returning: isWritten) }
            if beginsNext { begin() }
        }
    }
}
