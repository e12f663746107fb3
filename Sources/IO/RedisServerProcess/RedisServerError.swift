/// The failure of a private Redis server.
public enum RedisServerError: Error, Equatable, Sendable, CustomStringConvertible {
    case notInstalled
    /// The directory cannot be created, or its path is too long for a Unix socket.
    case unusableDirectory(String)
    case cannotStart(reason: String)
    /// The server ended during its start. `log` has the last lines of its log.
    case ended(log: String)
    /// The server ended after it had served, for the given reason.
    case endedByItself(String)
    /// The server did not answer PING in time and was killed.
    case notReady(log: String)

    public var description: String {
        switch self {
        case .notInstalled:
            "redis-server is not installed. On Debian and Ubuntu: apt-get install redis-server"
        case .unusableDirectory(let reason): "the directory of the Redis server cannot be used: \(reason)"
        case .cannotStart(let reason): "redis-server cannot be started: \(reason)"
        case .ended(let log): "redis-server ended while it started: \(log)"
        case .endedByItself(let how): "redis-server ended by itself: \(how)"
        case .notReady(let log): "redis-server did not answer in time: \(log)"
        }
    }
}
