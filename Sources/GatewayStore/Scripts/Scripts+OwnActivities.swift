import RedisClient

// Activities that devices open by themselves. Any number of devices may report the same external id at the same time, to
// any gateways: each of these steps is made once, however often it is called.
extension Scripts {
    /// Finds the activity that goes by an external id, or gives the id to a new one: when there is none, or its time is up.
    ///
    /// KEYS: external id. ARGV: proposed activity id, now, end and expiry of the proposed one in epoch ms.
    /// Reply: {activity id, when it was made, when it ends}.
    static let claimExternalActivity = RedisScript(
        name: "claim-external-activity",
        source: """
            local is = redis.call('HMGET', KEYS[1], 'activity', 'created_at', 'ends_at')
            if is[1] and is[2] and tonumber(is[3] or '0') > tonumber(ARGV[2]) then return is end
            redis.call('HSET', KEYS[1], 'activity', ARGV[1], 'created_at', ARGV[2], 'ends_at', ARGV[3])
            redis.call('PEXPIREAT', KEYS[1], ARGV[4])
            return { ARGV[1], ARGV[2], ARGV[3] }
            """)

    /// Gives the next slot of such an activity to a device. All slots that were given belong to the segment at once; one
    /// that nothing is written to has no fate, and is passed over everywhere.
    ///
    /// KEYS: activity. ARGV: the most slots that an activity may have.
    /// Reply: the slot, or nil when the activity is gone, full, or was not opened by devices.
    static let takeSlot = RedisScript(
        name: "take-slot",
        source: """
            local is = redis.call('HMGET', KEYS[1], 'external_id', 'reserved')
            local slot = tonumber(is[2]) or 0
            if not is[1] or slot >= tonumber(ARGV[1]) then return false end
            redis.call('HSET', KEYS[1], 'reserved', slot + 1, 'slots', struct.pack('<I4I4', 0, slot + 1))
            return slot
            """)

    /// Writes a user's membership if it is still what it was.
    ///
    /// KEYS: user. ARGV: field, expected value ('' for none), value. Reply: 1 when it was written, 0 when another one is
    /// there, -1 when the user's hash is full.
    static let joinUser = RedisScript(
        name: "join-user",
        source: """
            if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
            if ARGV[2] == '' and redis.call('HLEN', KEYS[1]) >= \(fieldsOfUser) then return -1 end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
            return 1
            """)

    /// Fills a slot with a device that shows its card already. Pages grow in steps and are written anew then, so that they
    /// take little more memory than they need.
    ///
    /// KEYS: fate page, update page, identities. ARGV: index, expiry in epoch ms, fate, identity.
    /// Reply: 1, or 0 when the slot was filled before.
    static let placeDevice = RedisScript(
        name: "place-device",
        source: """
            local index, expires_at = tonumber(ARGV[1]), ARGV[2]
            local length = redis.call('STRLEN', KEYS[1])
            if index >= length then
                local size = 1
                while size <= index do size = size * 4 end
                size = math.min(size, \(RosterGeometry.slotsPerPage))
                local fates = redis.call('GET', KEYS[1]) or ''
                redis.call('SET', KEYS[1], fates .. string.rep('\\0', size - length), 'PXAT', expires_at)
                local tokens = redis.call('GET', KEYS[2])
                if tokens then
                    local width = string.byte(tokens, 1)
                    local missing = math.max(0, 1 + width * size - #tokens)
                    redis.call('SET', KEYS[2], tokens .. string.rep('\\0', missing), 'PXAT', expires_at)
                end
            end
            if redis.call('GETRANGE', KEYS[1], index, index) ~= '\\0' then return 0 end
            redis.call('HSET', KEYS[3], index, ARGV[4])
            redis.call('PEXPIREAT', KEYS[3], expires_at)
            redis.call('SETRANGE', KEYS[1], index, ARGV[3])
            return 1
            """)
}
