-- time-to-sync (part)
--
-- Counts how long after its start a device has synced, in the partition's counters: see `TimeToSync`.

-- The milliseconds since the start of a slot's Live Activity. A device that was started again counts from then on. One
-- whose start has no outcome yet has synced at once. The counters' fields `starts` and `restart` have been read.
local function since_start(starts, restart, start_counts, slot, now)
    local at = 6 * (math.floor(slot / SIZE.slots_per_page) % SIZE.pages_per_partition)
    local begun = starts and #starts >= at + 6 and struct.unpack('<I6', starts, at + 1) or 0
    if restart then
        begun = tonumber(string.match(redis.call('HGET', start_counts, slot) or '', '^%d+:(%d+)')) or begun
    end
    return begun > 0 and math.max(0, now - begun) or 0
end

local function count_sync(counters, waited, expires_at)
    local bucket = 0
    for _, bound in ipairs(LIMIT.sync_times) do
        if waited <= bound then break end
        bucket = bucket + 1
    end
    redis.call('HINCRBY', counters, 'y' .. bucket, 1)
    redis.call('PEXPIREAT', counters, expires_at)
end
