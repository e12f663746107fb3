import RedisClient

extension Scripts {
    /// The most stored segments of one tenant.
    static let maximumSegments = 10_000

    private static let retire = """
        local function retire(retired, partition, part)
            retired[#retired + 1] = struct.pack('<I4', tonumber(partition)) .. part
        end

        local function note(chores, writer, now, retired)
            if #retired == 0 then return redis.call('HDEL', chores, writer) end
            redis.call('HSET', chores, writer, 'x' .. struct.pack('<i8', tonumber(now)) .. table.concat(retired))
        end

        """

    /// The one step in which a stored segment becomes another. The chore `w` of the change becomes a chore `x` for the
    /// parts that it replaces.
    ///
    /// KEYS: segment, names, chores. ARGV: the change's id, the segment's name, the version that it must have ('' for
    /// any, or none), users (absolute), now in epoch ms, partitions, '1' to drop all parts that are not named, then
    /// partitions with their parts ('' for none).
    /// Reply: 1, 0 when the version is another, -1 when there is no such segment, -2 when the tenant has too many, -3 when
    /// somebody has taken the chore over.
    static let installSegment = RedisScript(
        name: "install-segment",
        source: retire + """
            local root, writer, replaces = KEYS[1], ARGV[1], ARGV[7] == '1'
            local version = redis.call('HGET', root, 'version')
            if ARGV[3] ~= '' then
                if not version then return -1 end
                if version ~= ARGV[3] then return 0 end
            end
            local chore = redis.call('HGET', KEYS[3], writer)
            if not chore or string.sub(chore, 1, 1) ~= 'w' then return -3 end
            if not version and redis.call('ZCARD', KEYS[2]) >= \(maximumSegments) then return -2 end
            local retired = {}
            if replaces then
                local all = redis.call('HGETALL', root)
                for index = 1, #all, 2 do
                    if tonumber(all[index]) then retire(retired, all[index], all[index + 1]) end
                end
                redis.call('DEL', root)
            end
            for index = 8, #ARGV, 2 do
                local partition, part = ARGV[index], ARGV[index + 1]
                local old = redis.call('HGET', root, partition)
                if old then retire(retired, partition, old) end
                if part == '' then
                    redis.call('HDEL', root, partition)
                else
                    redis.call('HSET', root, partition, part)
                end
            end
            redis.call('HSET', root, 'version', writer, 'users', ARGV[4], 'updated_at', ARGV[5], 'partitions', ARGV[6])
            redis.call('ZADD', KEYS[2], 0, ARGV[2])
            note(KEYS[3], writer, ARGV[5], retired)
            return 1
            """)

    /// Forgets a stored segment.
    ///
    /// KEYS: segment, names, chores. ARGV: the change's id, the segment's name, now in epoch ms.
    /// Reply: 1, or 0 when there is no such segment.
    static let deleteSegment = RedisScript(
        name: "delete-segment",
        source: retire + """
            local all = redis.call('HGETALL', KEYS[1])
            if #all == 0 then return 0 end
            local retired = {}
            for index = 1, #all, 2 do
                if tonumber(all[index]) then retire(retired, all[index], all[index + 1]) end
            end
            redis.call('DEL', KEYS[1])
            redis.call('ZREM', KEYS[2], ARGV[2])
            note(KEYS[3], ARGV[1], ARGV[3], retired)
            return 1
            """)

    /// Takes over a chore `w` from a gateway that is gone: from now on the change cannot be carried through.
    ///
    /// KEYS: chores. ARGV: the change's id, what the chore was read as.
    /// Reply: 1, or 0 when the chore has changed.
    static let takeOverSegmentChore = RedisScript(
        name: "take-over-segment-chore",
        source: """
            if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
            redis.call('HSET', KEYS[1], ARGV[1], 'x' .. string.sub(ARGV[2], 2))
            return 1
            """)
}
