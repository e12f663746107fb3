public import TimeCore

extension RedisServerProcess {
    /// An event of a server that is kept running.
    public enum WatchEvent: Sendable {
        /// The server ended or could not be started, for the given reason. It is started after the pause.
        case ended(reason: String, pause: TimeInterval)
        /// The server serves again, with its data from the disk.
        case startedAgain
    }

    /// Restarts the server whenever it ends unexpectedly, after pauses that grow while it is unstable. Returns when the
    /// task is cancelled, and must have returned before `stop` is called.
    /// - Throws: The last error, after `RestartPolicy.maximumEnds` ends in a row without a steady run.
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
                    // The time spent on a failed start does not count as uptime.
                    began = MonotonicTime.now()
                }
            }
            onEvent(.startedAgain)
        }
    }

    /// Returns true when the server has ended, false when the task is cancelled.
    private func hasEnded() async -> Bool {
        while isRunning { guard await wait(.milliseconds(100)) else { return false } }
        return !Task.isCancelled
    }

    /// Returns false when the task is cancelled.
    private func wait(_ time: TimeInterval) async -> Bool {
        (try? await Task.sleep(for: time.duration)) != nil
    }
}
