public import GatewayAPI
public import PushClient
public import RedisClient
public import TimeCore

/// Everything that a gateway is told when it starts.
public struct GatewayOptions: Sendable {
    public var host = "127.0.0.1"
    /// 0 for any free port.
    public var port = 8080
    public var redis: RedisEndpoint
    /// How long a command to Redis may take.
    public var redisTimeout = TimeInterval.seconds(2)
    public var push: PushClientOptions
    /// The app's bundle identifier.
    public var bundleIdentifier: String
    public var api = APISettings()
    /// From the signal to stop until the process is gone.
    public var shutdownTimeout = TimeInterval.seconds(25)

    public init(redis: RedisEndpoint, push: PushClientOptions, bundleIdentifier: String) {
        self.redis = redis
        self.push = push
        self.bundleIdentifier = bundleIdentifier
    }
}
