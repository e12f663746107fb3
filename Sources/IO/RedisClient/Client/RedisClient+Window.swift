import Reactor

extension RedisClient {
    /// Sends a sequence of commands of which at most `window` have no reply yet. Commands are created and replies read
    /// in place, both on the reactor, for long sequences whose replies are not kept. Commands of other callers may come
    /// between. After the first error no more are sent. From any thread, with one hop each way.
    /// - Parameters:
    ///   - count: The number of commands.
    ///   - window: At least 1.
    ///   - command: Returns the command at an index.
    ///   - read: Receives the index and the reply. The view is valid only while this runs.
    /// - Returns: The first error, after all sent commands have an outcome; nil after a success.
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

/// A sequence of commands, some of them in flight. On the reactor.
final class RedisWindow: RedisReplyReceiver {
    private let client: RedisClient
    private let count: Int
    private let command: (Int) -> RedisCommand
    private let window: Int
    private let read: (Int, RedisReplyView) -> Void
    private let finished: (RedisError?) -> Void
    private var failure: RedisError?
    /// The number of sent commands, and of those with an outcome.
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

    /// Fills the window. A command may fail before this returns.
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
        // Refills half a window at a time, so that a write has many commands.
        guard !isSending, sent - answered <= window / 2 else { return }
        if answered == sent || failure == nil && sent < count { send() }
    }
}
