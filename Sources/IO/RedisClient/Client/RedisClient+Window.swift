import Reactor

extension RedisClient {
    /// Sends a row of commands of which at most `window` have no reply yet. Each is made when its turn has come, and
    /// its reply is read where it lies, both on the reactor: for rows that are long, whose replies nobody needs as they
    /// are. Commands of others come between. Behind the first error nothing more is sent. From any thread, with one hop
    /// each way.
    /// - Parameters:
    ///   - count: how many commands there are.
    ///   - window: at least 1.
    ///   - command: makes the command at a place of the row.
    ///   - read: gets the same place. The view is valid only while this runs.
    /// - Returns: the first error, once all that was sent has its outcome; nil when every reply was read.
    public func pipeline(
        _ count: Int, window: Int, command: @escaping @Sendable (Int) -> RedisCommand,
        read: @escaping @Sendable (Int, RedisReplyView) -> Void
    ) async -> RedisError? {
        guard count > 0 else { return nil }
        return await withCheckedContinuation { continuation in
            let taken = reactor.execute {
                RedisWindow(self, count, window: window, command: command, read: read) {
                    continuation.resume(returning: $0)
                }.send()
            }
            if !taken { continuation.resume(returning: RedisClient.stopped) }
        }
    }
}

/// A row of commands of which some are under way. On the reactor.
final class RedisWindow: RedisReplyReceiver {
    private let client: RedisClient
    private let count: Int
    private let command: (Int) -> RedisCommand
    private let window: Int
    private let read: (Int, RedisReplyView) -> Void
    private let finished: (RedisError?) -> Void
    private var failure: RedisError?
    /// How many were sent, and how many of these have their outcome.
    private var sent = 0
    private var answered = 0
    private var isSending = false

    init(
        _ client: RedisClient, _ count: Int, window: Int, command: @escaping (Int) -> RedisCommand,
        read: @escaping (Int, RedisReplyView) -> Void, finished: @escaping (RedisError?) -> Void
    ) {
        self.client = client
        self.count = count
        self.command = command
        self.window = max(1, window)
        self.read = read
        self.finished = finished
    }

    /// Fills the window up. What fails at once fails in here.
    func send() {
        isSending = true
        while failure == nil, sent < count, sent - answered < window {
            sent += 1
            client.send(command(sent - 1), to: self, step: sent - 1)
        }
        isSending = false
        guard answered == sent, failure != nil || sent == count else { return }
        finished(failure)
    }

    func replied(_ result: Result<RedisReplyView, RedisError>, in step: Int) {
        answered += 1
        switch result {
        case .success(let view): if failure == nil { read(step, view) }
        case .failure(let error): if failure == nil { failure = error }
        }
        // Half a window at a time, so that a write has many commands.
        guard !isSending, sent - answered <= window / 2 else { return }
        if answered == sent || failure == nil && sent < count { send() }
    }
}
