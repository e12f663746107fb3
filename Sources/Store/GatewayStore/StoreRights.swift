public import RedisClient

extension GatewayStore {
    /// Every command that the gateway's user in Redis must be allowed, on keys that begin with `fanfare:`.
    public static let rights = RedisRights(key: rightsKey, samples: commands)

    private static let rightsKey = "fanfare:{rights}"

    /// Calls that leave nothing behind but, at most, the one key.
    private static let commands: [[String]] =
        strings + hashes + lists + sets + sortedSets + streams + [
            ["PING"], ["TIME"], ["SCRIPT", "LOAD", "return 1"], ["EVAL", "return 1", "1", rightsKey],
            ["EVALSHA", "0000000000000000000000000000000000000000", "1", rightsKey],
            ["DEL", rightsKey], ["UNLINK", rightsKey], ["EXISTS", rightsKey], ["PERSIST", rightsKey],
            ["PEXPIRE", rightsKey, "1000"], ["PEXPIREAT", rightsKey, "9999999999999"], ["PTTL", rightsKey],
        ]

    private static let strings: [[String]] = [
        ["SET", rightsKey, "0", "PX", "1000"], ["GET", rightsKey], ["APPEND", rightsKey, "0"],
        ["GETRANGE", rightsKey, "0", "0"], ["SETRANGE", rightsKey, "0", "0"], ["STRLEN", rightsKey],
        ["GETBIT", rightsKey, "0"], ["SETBIT", rightsKey, "0", "0"],
    ]

    private static let hashes: [[String]] = [
        ["HSET", rightsKey, "f", "0"], ["HSETNX", rightsKey, "f", "0"], ["HGET", rightsKey, "f"],
        ["HMGET", rightsKey, "f"], ["HGETALL", rightsKey], ["HKEYS", rightsKey],
        ["HRANDFIELD", rightsKey, "1"],
        ["HLEN", rightsKey], ["HSCAN", rightsKey, "0"],
        ["HEXISTS", rightsKey, "f"], ["HINCRBY", rightsKey, "f", "0"], ["HDEL", rightsKey, "f"],
    ]

    private static let lists: [[String]] = [
        ["LPUSH", rightsKey, "0"], ["RPUSH", rightsKey, "0"], ["RPUSHX", rightsKey, "0"],
        ["LRANGE", rightsKey, "0", "0"], ["LTRIM", rightsKey, "0", "0"],
    ]

    private static let sets: [[String]] = [
        ["SADD", rightsKey, "0"], ["SREM", rightsKey, "0"], ["SMEMBERS", rightsKey],
    ]

    private static let sortedSets: [[String]] = [
        ["ZADD", rightsKey, "0", "0"], ["ZREM", rightsKey, "0"], ["ZCARD", rightsKey], ["ZCOUNT", rightsKey, "0", "0"],
        ["ZSCORE", rightsKey, "0"], ["ZPOPMIN", rightsKey], ["ZREMRANGEBYSCORE", rightsKey, "0", "0"],
        ["ZRANGE", rightsKey, "0", "0"], ["ZRANGEBYSCORE", rightsKey, "0", "0"], ["ZREVRANGE", rightsKey, "0", "0"],
        ["ZRANGEBYLEX", rightsKey, "-", "+"], ["ZREVRANGEBYLEX", rightsKey, "+", "-"],
        ["ZRANDMEMBER", rightsKey, "1"],
    ]

    private static let streams: [[String]] = [
        ["XADD", rightsKey, "*", "f", "0"], ["XGROUP", "CREATE", rightsKey, "g", "0", "MKSTREAM"],
        ["XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "STREAMS", rightsKey, ">"],
        ["XAUTOCLAIM", rightsKey, "g", "c", "1000", "0-0"], ["XCLAIM", rightsKey, "g", "c", "1000", "0-1"],
        ["XPENDING", rightsKey, "g"], ["XACK", rightsKey, "g", "0-1"], ["XDEL", rightsKey, "0-1"],
        ["XLEN", rightsKey], ["XRANGE", rightsKey, "-", "+", "COUNT", "1"],
    ]
}
