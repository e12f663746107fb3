import TimeCore

/// The destination of a command's outcome.
enum ReplySink {
    case view((Result<RedisReplyView, RedisError>) -> Void)
    case receiver(any RedisReplyReceiver, step: Int)
    case continuation(CheckedContinuation<Result<RedisValue, RedisError>, Never>)
    case batch(RedisBatch, Int)
    /// The router of a cluster, which may send the command to another node.
    case routed(RoutedCall)
    /// The outcome was already delivered; a late reply is dropped.
    case abandoned

    var isAbandoned: Bool {
        if case .abandoned = self { true } else { false }
    }

    func succeed(_ reply: RedisReplyView) {
        switch self {
        case .view(let completion): completion(.success(reply))
        case .receiver(let receiver, let step): receiver.replied(.success(reply), in: step)
        case .continuation(let continuation): continuation.resume(returning: .success(reply.copy()))
        case .batch(let batch, let index): batch.complete(index, .success(reply.copy()))
        case .routed(let call): call.answered(reply)
        case .abandoned: break
        }
    }

    func fail(_ error: RedisError) {
        switch self {
        case .view(let completion): completion(.failure(error))
        case .receiver(let receiver, let step): receiver.replied(.failure(error), in: step)
        case .continuation(let continuation): continuation.resume(returning: .failure(error))
        case .batch(let batch, let index): batch.complete(index, .failure(error))
        case .routed(let call): call.failed(error)
        case .abandoned: break
        }
    }

    /// Delivers the server's error reply.
    func refuse(_ message: String) {
        if case .routed(let call) = self {
            call.refused(message)
        } else {
            fail(RedisError(errorReply: message))
        }
    }
}

/// A command without an outcome yet.
struct PendingCall {
    var sink: ReplySink
    /// The time of the hand-over to the connection.
    var sent: MonotonicTime
    let deadline: MonotonicTime
    /// The command, kept while it waits. In flight it is kept only if it may be sent again in another form.
    var command: RedisCommand?
    var isProbe = false
}

/// The outcomes of one pipeline, collected on the reactor and delivered together.
final class RedisBatch {
    private var results: [Result<RedisValue, RedisError>]
    private var missing: Int
    private let finished: ([Result<RedisValue, RedisError>]) -> Void

    /// - Parameter count: At least 1.
    init(count: Int, finished: @escaping ([Result<RedisValue, RedisError>]) -> Void) {
        results = Array(repeating: .success(.null), count: count)
        missing = count
        self.finished = finished
    }

    func complete(_ index: Int, _ result: Result<RedisValue, RedisError>) {
        results[index] = result
        missing -= 1
        if missing == 0 { finished(results) }
    }
}
