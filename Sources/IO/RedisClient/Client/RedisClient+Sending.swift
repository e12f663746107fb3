import Reactor
public import TimeCore

/// Takes the outcomes of the commands that it sends, told apart by the step in which it sent each. For whoever is made
/// in great numbers and sends several commands: nothing is made for a single one.
public protocol RedisReplyReceiver: AnyObject {
    /// Called once for each command, on the reactor, possibly before the call that sends it returns. The view is valid
    /// only while this runs. An error reply of the server is a failure.
    func replied(_ result: Result<RedisReplyView, RedisError>, in step: Int)
}

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

    /// The same for a receiver, which is kept until it has the outcome. On the reactor.
    public func send(_ command: RedisCommand, to receiver: any RedisReplyReceiver, step: Int) {
        enqueue(command, nil, .receiver(receiver, step: step))
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
            metrics.failed(.overloaded)
            sink.fail(.overloaded)
            return
        }
        let isHeld = command.replicationWait > 0 && isSingle
        node.enqueue(command, until: end, isHeld ? replicaWait.holding(sink) : sink)
    }
}
