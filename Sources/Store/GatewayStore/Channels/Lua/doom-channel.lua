-- doom-channel (writes)
--
-- Takes a broadcast channel from its activity, to be deleted at a time, unless it was taken anew meanwhile.
--
-- KEYS
--   used
--   takers
--   doomed
-- ARGV
--   channel
--   taker
--   taken_at: epoch ms, as it was read
--   at: epoch ms
-- Reply: flag (false if it was taken anew or is not in use)

if redis.call('HGET', used, channel) ~= taker .. ' ' .. taken_at then return 0 end
redis.call('ZADD', doomed, at, channel)
if redis.call('HGET', takers, taker) == channel then redis.call('HDEL', takers, taker) end
redis.call('HDEL', used, channel)
return 1
