import Reactor
import RedisClient

/// The number of starts that waited for the append-only file.
public struct CommitCounts: Equatable, Sendable {
    /// The file had the start in time.
    public internal(set) var acknowledged = 0
    /// The start went on without confirmation. It may be lost if Redis is killed.
    public internal(set) var unacknowledged = 0
}

/// Delays answers until Redis's append-only file has their writes. Concurrent callers share a wait.
final class GroupCommit: Sendable {
    private typealias Member = CheckedContinuation<Bool, Never>

    private struct State {
        var isNeeded = false
        var rounds = CommitRounds<Member>()
        var counts = CommitCounts()
    }

    private let state = Locked(State())
    private let wait: @Sendable () async -> Bool

    /// - Parameter wait: Returns true once the file has all writes from before the call, and false after a timeout.
    ///   Calls do not overlap.
    init(wait: @escaping @Sendable () async -> Bool) {
        self.wait = wait
    }

    /// True if answers are delayed; false at first.
    var isNeeded: Bool {
        get { state.withLock { $0.isNeeded } }
        set { state.withLock { $0.isNeeded = newValue } }
    }

    var counts: CommitCounts { state.withLock { $0.counts } }

    /// Waits until the file has all writes that Redis has confirmed, or until a timeout, and counts the result. Returns
    /// at once if no wait is needed.
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
        // A task of its own, so that cancelling the first caller does not end the shared wait.
        Task {
            let isWritten = await wait()
            let (members, beginsNext) = state.withLock { $0.rounds.ended() }
            for member in members { member.resume(returning: isWritten) }
            if beginsNext { begin() }
        }
    }
}
