-- note-strangers (writes)
--
-- Notes which broadcast channels the provider has that nobody here knows of, and how many it has in all.
--
-- KEYS
--   strangers
--   listing
-- ARGV
--   now: epoch ms
--   count: of all channels at the provider
--   channels...: the unknown ones
-- Reply: 1

local seen = {}
for i = channels_at, #ARGV do seen[ARGV[i]] = true end
for _, channel in ipairs(redis.call('ZRANGE', strangers, 0, -1)) do
    if not seen[channel] then redis.call('ZREM', strangers, channel) end
end
for i = channels_at, #ARGV do redis.call('ZADD', strangers, 'NX', now, ARGV[i]) end
redis.call('HSET', listing, 'count', count, 'at', now)
return 1
