import Reactor
public import TimeCore

// From any thread. Each call is one hop to the reactor and one back. A cancelled task still gets its outcome, at the
// latest when the deadline has passed.
extension RedisClient {
    static let stopped = RedisError.unavailable("the reactor has stopped", mayHaveBeenExecuted: false)

    /// The command's outcome.
    public func call(_ command: RedisCommand, deadline: TimeInterval? = nil) async -> Result<RedisValue, RedisError> {
        await withCheckedContinuation { continuation in
            let taken = reactor.execute { self.enqueue(command, deadline, .continuation(continuation)) }
            if !taken { continuation.resume(returning: .failure(RedisClient.stopped)) }
        }
    }

    /// A slot of each master of a cluster, as far as is known since the last command was answered; one for a single
    /// server.
    public func masterSlots() async -> [UInt16] {
        await reactor.call(stopped: []) { done in done(self.router?.topology?.masterSlots ?? [0]) }
    }

    /// The command's reply, or its error thrown.
    public func value(_ command: RedisCommand, deadline: TimeInterval? = nil) async throws(RedisError) -> RedisValue {
        try await call(command, deadline: deadline).get()
    }

    /// The script's outcome; see `RedisCommand.init(script:keys:arguments:)`.
    public func run(
        _ script: RedisScript, keys: [some RedisArgumentConvertible],
        arguments: [any RedisArgumentConvertible] = [], deadline: TimeInterval? = nil
    ) async -> Result<RedisValue, RedisError> {
        await call(RedisCommand(script: script, keys: keys, arguments: arguments), deadline: deadline)
    }

    /// The outcomes of all commands, in their order. They are sent in one write, with one hop each way; other
    /// commands do not come between them, but they are no transaction.
    public func pipeline(
        _ commands: [RedisCommand], deadline: TimeInterval? = nil
    ) async -> [Result<RedisValue, RedisError>] {
        guard !commands.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            let taken = reactor.execute {
                let batch = RedisBatch(count: commands.count) { continuation.resume(returning: $0) }
                for (index, command) in commands.enumerated() {
                    self.enqueue(command, deadline, .batch(batch, index))
                }
            }
            if !taken {
                continuation.resume(returning: commands.map { _ in .failure(RedisClient.stopped) })
            }
        }
    }
}
