-- forget-channels (writes)
--
-- Deletes the records of broadcast channels that the provider no longer has.
--
-- KEYS
--   pool
--   used
--   takers
--   doomed
--   strangers
-- ARGV
--   channels...
-- Reply: int (number of records that were deleted)
-- Includes: write-rights

-- The reply counts the deleted records.
require_writes(used, 'HDEL', 'ZREM')
local known = 0
for i = channels_at, #ARGV do
    local channel = ARGV[i]
    local is = redis.call('HGET', used, channel)
    if is then
        local taker = is:match('^(%S+) ')
        if taker and redis.call('HGET', takers, taker) == channel then redis.call('HDEL', takers, taker) end
    end
    known = known + redis.call('HDEL', used, channel) + redis.call('ZREM', pool, channel)
        + redis.call('ZREM', doomed, channel) + redis.call('ZREM', strangers, channel)
end
return known
