public import RedisClient

extension GatewayStore {
    /// Every command that the gateway's user in Redis must be allowed, on keys that begin with `fanfare:`.
    public static let rights = RedisRights(
        key: rightsKey, samples: Scripts.sampleCalls(key: rightsKey) + callsOutsideScripts)

    private static let rightsKey = "fanfare:{rights}"

    /// Calls of commands that no script uses. They leave nothing behind but, at most, the one key.
    private static let callsOutsideScripts: [[String]] = [
        ["PING"], ["SCRIPT", "LOAD", "return 1"], ["EVAL", "return 1", "1", rightsKey],
        ["EVALSHA", "0000000000000000000000000000000000000000", "1", rightsKey],
        ["APPEND", rightsKey, "0"], ["HRANDFIELD", rightsKey, "1"], ["HSCAN", rightsKey, "0"],
        ["RPUSHX", rightsKey, "0"], ["SADD", rightsKey, "0"], ["SREM", rightsKey, "0"], ["SMEMBERS", rightsKey],
        ["ZRANGEBYLEX", rightsKey, "-", "+"], ["ZRANDMEMBER", rightsKey, "1"],
    ]
}
