public import TimeCore

extension RedisServerProcess {
    /// What becomes of a server that is kept running.
    public enum WatchEvent: Sendable {
        /// It has ended by itself, or could not be started, for the reason given; it is started after the pause.
        case ended(reason: String, pause: TimeInterval)
        /// It serves again, with what it had on disk.
        case startedAgain
    }

    /// Starts the server again whenever it ends by itself, after pauses that grow while it does not stay. Returns when
    /// the task is cancelled, and must have returned before `stop` is called.
    /// - Throws: why it ended last, when it does not stay for a minute for as long.
    public func keepRunning(_ onEvent: @Sendable (WatchEvent) -> Void) async throws(RedisServerError) {
        try await keepRunning(RestartPolicy(), onEvent)
    }

    func keepRunning(
        _ policy: RestartPolicy, _ onEvent: @Sendable (WatchEvent) -> Void
    ) async throws(RedisServerError) {
        var policy = policy
        var began = MonotonicTime.now()
        while await hasEnded() {
            var end = RedisServerError.endedByItself(howItEnded)
            while true {
                guard let pause = policy.ended(after: MonotonicTime.now() - began) else { throw end }
                onEvent(.ended(reason: "\(end)", pause: pause))
                guard await wait(pause) else { return }
                began = MonotonicTime.now()
                do {
                    try await start(deadline: .seconds(60))
                    break
                } catch {
                    end = error
                    // Time that is spent on waiting for it is no life.
                    began = MonotonicTime.now()
                }
            }
            onEvent(.startedAgain)
        }
    }

    /// True when the server has ended, false when the task is cancelled.
    private func hasEnded() async -> Bool {
        while isRunning { guard await wait(.milliseconds(100)) else { return false } }
        return !Task.isCancelled
    }

    /// False when the task is cancelled.
    private func wait(_ time: TimeInterval) async -> Bool {
        (try? await Task.sleep(for: .nanoseconds(Int64(clamping: time.nanoseconds)))) != nil
    }
}
