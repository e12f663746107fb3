/// Why a command has no answer to show. An outcome, not an exception: callers decide by it whether to try again.
public enum RedisError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Redis could not be reached, the connection was lost, or the server cannot serve at the moment (LOADING,
    /// READONLY, MASTERDOWN, UNBLOCKED). When `mayHaveBeenExecuted` is false the command has certainly had no effect.
    case unavailable(String, mayHaveBeenExecuted: Bool)
    /// The command's deadline passed. When `mayHaveBeenExecuted` is false it has certainly had no effect.
    case timedOut(mayHaveBeenExecuted: Bool)
    /// The server's error reply, such as `WRONGTYPE Operation against a key holding the wrong kind of value`.
    case rejected(String)
    /// The bound on commands that wait or are in flight was reached. The command was not sent.
    case overloaded

    /// Whether the command's effect may have taken place although its answer is missing.
    public var mayHaveBeenExecuted: Bool {
        switch self {
        case .unavailable(_, let possible), .timedOut(let possible): possible
        case .rejected, .overloaded: false
        }
    }

    /// What kind of refusal this is; nil when no server has refused the command.
    public var refusal: RedisRefusal? {
        switch self {
        case .rejected(let message): RedisRefusal(errorReply: message)
        case .unavailable(let message, _):
            RedisRefusal(errorReply: message).isPassing ? RedisRefusal(errorReply: message) : nil
        case .timedOut, .overloaded: nil
        }
    }

    public var description: String {
        switch self {
        case .unavailable(let reason, _): "Redis is unavailable: \(reason)"
        case .timedOut: "Redis did not answer in time"
        case .rejected(let message): "Redis rejected the command: \(message)"
        case .overloaded: "too many commands are waiting for Redis"
        }
    }
}

extension RedisError {
    /// Translates the server's error reply.
    init(errorReply message: String) {
        if RedisRefusal(errorReply: message).isPassing {
            self = .unavailable(message, mayHaveBeenExecuted: false)
        } else {
            self = .rejected(message)
        }
    }
}
