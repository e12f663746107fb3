-- time-to-sync (part)
--
-- Counts how long after its start a device has synced, in the partition's counters: see `TimeToSync`.

-- A device that was started again counts from then on. One whose start has no outcome yet has synced at once.
local function count_sync(counters, start_counts, slot, now, expires_at)
    local is = redis.call('HMGET', counters, 'starts', 'restart')
    local at = 6 * (math.floor(slot / SIZE.slots_per_page) % SIZE.pages_per_partition)
    local begun = is[1] and #is[1] >= at + 6 and struct.unpack('<I6', is[1], at + 1) or 0
    if is[2] then
        begun = tonumber(string.match(redis.call('HGET', start_counts, slot) or '', ':(%d+)$')) or begun
    end
    local waited = begun > 0 and now - begun or 0
    local bucket = 0
    for _, bound in ipairs(LIMIT.sync_times) do
        if waited <= bound then break end
        bucket = bucket + 1
    end
    redis.call('HINCRBY', counters, 'y' .. bucket, 1)
    redis.call('PEXPIREAT', counters, expires_at)
end
