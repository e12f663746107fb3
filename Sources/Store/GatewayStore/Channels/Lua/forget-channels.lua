-- forget-channels (writes)
--
-- Forgets broadcast channels that the provider does not have any more.
--
-- KEYS
--   pool
--   used
--   takers
--   doomed
--   strangers
-- ARGV
--   channels...
-- Reply: how many of them were known

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
