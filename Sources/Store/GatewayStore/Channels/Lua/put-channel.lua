-- put-channel (writes)
--
-- Records a broadcast channel that was made: for an activity, or for any.
--
-- When the activity has got another one meanwhile that one counts, and the new one is for others. May be done again.
--
-- KEYS
--   pool
--   used
--   takers
--   doomed
--   intents
--   strangers
-- ARGV
--   channel
--   intent: its creation's
--   taker: activity, environment and policy; '' for the pool
--   keeps: 1 when it keeps the newest message, which those in the pool do
--   now: epoch ms
-- Reply: the channel that the activity has; the new one when it is for the pool

redis.call('ZREM', intents, intent)
redis.call('ZREM', strangers, channel)
local is_known = redis.call('HEXISTS', used, channel) == 1 or redis.call('ZSCORE', doomed, channel)
local own = taker ~= '' and redis.call('HGET', takers, taker)
if taker == '' or own then
    if not is_known and own ~= channel then
        redis.call('ZADD', keeps == '1' and pool or doomed, now, channel)
    end
    return own or channel
end
redis.call('HSET', takers, taker, channel)
redis.call('HSET', used, channel, taker .. ' ' .. now)
return channel
