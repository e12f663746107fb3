-- note-strangers (writes)
--
-- Records the broadcast channels that only the provider knows, and the number of all its channels.
--
-- KEYS
--   strangers
--   listing
-- ARGV
--   now: epoch ms
--   count: number of all channels at the provider
--   channels...: the unknown ones
-- Reply: flag (always true)

local seen = {}
for i = channels_at, #ARGV do seen[ARGV[i]] = true end
for _, channel in ipairs(redis.call('ZRANGE', strangers, 0, -1)) do
    if not seen[channel] then redis.call('ZREM', strangers, channel) end
end
for i = channels_at, #ARGV do redis.call('ZADD', strangers, 'NX', now, ARGV[i]) end
redis.call('HSET', listing, 'count', count, 'at', now)
return 1
