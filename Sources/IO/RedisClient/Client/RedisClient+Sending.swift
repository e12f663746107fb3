import Reactor
public import TimeCore

/// Receives the outcomes of its commands, identified by step. It needs no allocation for each command, which suits
/// objects that exist in great numbers.
public protocol RedisReplyReceiver: AnyObject {
    /// Called once for each command, on the reactor, possibly before the call that sends it returns. The view is valid
    /// only while this runs. An error reply of the server is a failure.
    func replied(_ result: Result<RedisReplyView, RedisError>, in step: Int)
}

extension RedisClient {
    /// Sends a command and passes its reply to `completion`, at the latest after `deadline` or
    /// `options.commandDeadline`. The completion may run before this returns, and the view is valid only while it runs.
    /// An error reply of the server is a failure. On the reactor.
    public func send(
        _ command: RedisCommand, deadline: TimeInterval? = nil,
        completion: @escaping (Result<RedisReplyView, RedisError>) -> Void
    ) {
        enqueue(command, deadline, .view(completion))
    }

    /// Sends a command for a receiver, which is retained until the outcome. On the reactor.
    public func send(_ command: RedisCommand, to receiver: any RedisReplyReceiver, step: Int) {
        enqueue(command, nil, .receiver(receiver, step: step))
    }

    /// Sends a command and passes a copy of its reply, which may be kept. On the reactor.
    public func call(
        _ command: RedisCommand, deadline: TimeInterval? = nil,
        completion: @escaping (Result<RedisValue, RedisError>) -> Void
    ) {
        enqueue(command, deadline, .view { completion($0.map { $0.copy() }) })
    }

    /// Calls a script by its digest, or by its source if the server does not have it. On the reactor.
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
            metrics.failed(.overloaded)
            sink.fail(.overloaded)
            return
        }
        let isHeld = command.replicationWait > 0 && isSingle
        node.enqueue(command, until: end, isHeld ? replicaWait.holding(sink) : sink)
    }
}
