import Reactor
public import TimeCore

extension RedisClient {
    /// Sends a command and gives its reply to `completion`, once and at the latest when `deadline` (or
    /// `options.commandDeadline`) has passed. The view is valid only while `completion` runs. `completion` may be
    /// called before this returns. An error reply of the server is a failure. On the reactor.
    public func send(
        _ command: RedisCommand, deadline: TimeInterval? = nil,
        completion: @escaping (Result<RedisReplyView, RedisError>) -> Void
    ) {
        enqueue(command, deadline, .view(completion))
    }

    /// The same with a copy of the reply, which may be kept. On the reactor.
    public func call(
        _ command: RedisCommand, deadline: TimeInterval? = nil,
        completion: @escaping (Result<RedisValue, RedisError>) -> Void
    ) {
        enqueue(command, deadline, .view { completion($0.map { $0.copy() }) })
    }

    /// Calls a script by its digest, or by its source when the server does not know it. On the reactor.
    public func run(
        _ script: RedisScript, keys: [some RedisArgumentConvertible],
        arguments: [any RedisArgumentConvertible] = [], deadline: TimeInterval? = nil,
        completion: @escaping (Result<RedisReplyView, RedisError>) -> Void
    ) {
        send(RedisCommand(script: script, keys: keys, arguments: arguments), deadline: deadline, completion: completion)
    }

    func enqueue(_ command: RedisCommand, _ deadline: TimeInterval?, _ sink: ReplySink) {
        assert(reactor.isOnReactor)
        if command.changesProtocol {
            sink.fail(.rejected("the command would change the protocol of a shared connection"))
            return
        }
        let end = reactor.now + (deadline ?? options.commandDeadline)
        if let router {
            router.enqueue(command, until: end, sink)
            return
        }
        guard node.openCalls < options.commandLimit else {
            measures.failed(.overloaded)
            sink.fail(.overloaded)
            return
        }
        node.enqueue(command, until: end, sink)
    }
}
