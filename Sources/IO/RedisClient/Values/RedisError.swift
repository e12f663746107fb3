/// The reason why a command has no reply. An outcome, not an exception: callers use it to decide about a retry.
public enum RedisError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Redis was unreachable, the connection was lost, or the server cannot serve now (LOADING, READONLY, MASTERDOWN,
    /// UNBLOCKED). If `mayHaveBeenExecuted` is false the command certainly had no effect.
    case unavailable(String, mayHaveBeenExecuted: Bool)
    /// The command's deadline passed. If `mayHaveBeenExecuted` is false it certainly had no effect.
    case timedOut(mayHaveBeenExecuted: Bool)
    /// The server's error reply, for example `WRONGTYPE Operation against a key holding the wrong kind of value`.
    case rejected(String)
    /// The client had the maximum number of waiting and in-flight commands. The command was not sent.
    case overloaded

    /// True if the command may have been executed although its reply is missing.
    public var mayHaveBeenExecuted: Bool {
        switch self {
        case .unavailable(_, let possible), .timedOut(let possible): possible
        case .rejected, .overloaded: false
        }
    }

    /// The kind of refusal; nil if no server has refused the command.
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
