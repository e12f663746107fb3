import RedisClient
import TimeCore

/// A call of a script. The generated functions of `Scripts` create it.
struct ScriptCall<Reply> {
    let script: RedisScript
    private(set) var command: RedisCommand
    private let read: (RedisValue) -> Reply?

    /// - Parameter read: Returns the typed reply; nil if the script does not reply so.
    init(_ script: RedisScript, _ command: RedisCommand, read: @escaping (RedisValue) -> Reply?) {
        self.script = script
        self.command = command
        self.read = read
    }

    init(
        _ script: RedisScript, _ keys: [String], _ arguments: [any RedisArgumentConvertible],
        read: @escaping (RedisValue) -> Reply?
    ) {
        self.init(script, RedisCommand(script: script, keys: keys, arguments: arguments), read: read)
    }

    /// Returns the call with a wait for a replica of what it writes.
    func replicated(within time: TimeInterval) -> ScriptCall {
        var call = self
        call.command = command.replicated(within: time)
        return call
    }

    /// Returns the typed reply.
    func reply(_ value: RedisValue) throws(StoreError) -> Reply {
        guard let reply = read(value) else { throw .damaged("the reply of the script \(script.name)") }
        return reply
    }

    /// Returns the typed result of a command that was sent.
    func result(_ result: Result<RedisReplyView, RedisError>) -> Result<Reply, StoreError> {
        switch result {
        case .success(let view): Result { () throws(StoreError) in try reply(view.copy()) }
        case .failure(let error): .failure(StoreError(error))
        }
    }
}

extension StoreFeature {
    /// Runs a script.
    func run<Reply>(_ call: ScriptCall<Reply>) async throws(StoreError) -> Reply {
        try call.reply(await value(call.command))
    }
}
