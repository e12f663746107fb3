/// Why a private Redis server is not there.
public enum RedisServerError: Error, Equatable, Sendable, CustomStringConvertible {
    case notInstalled
    /// The directory's path is too long for a unix socket in it, or it cannot be made.
    case unusableDirectory(String)
    case cannotStart(reason: String)
    /// The server ended while it started. `log` holds the last lines that it wrote.
    case ended(log: String)
    /// The server ended after it had served, as the words say.
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
