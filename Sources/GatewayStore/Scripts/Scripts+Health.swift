import RedisClient

extension Scripts {
    /// Adds fields to the record of a broadcast that is under way; a field that is there stays as it is.
    ///
    /// KEYS: broadcast. ARGV: fields and values. Reply: 1, or 0 when the broadcast has ended or is gone.
    static let noteBroadcast = RedisScript(
        name: "note-broadcast",
        source: """
            local state = redis.call('HGET', KEYS[1], 'state')
            if state ~= 'queued' and state ~= 'running' then return 0 end
            for index = 1, #ARGV, 2 do redis.call('HSETNX', KEYS[1], ARGV[index], ARGV[index + 1]) end
            return 1
            """)
}
