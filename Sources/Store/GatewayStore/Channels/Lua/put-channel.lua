-- put-channel (writes)
--
-- Records a new broadcast channel for an activity or for the pool. If the activity has another channel by now, it keeps
-- that one. The new channel then joins the pool, or is deleted if it does not keep the newest message. May be repeated.
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
--   intent: of its creation
--   taker: activity, environment and policy; '' for the pool
--   keeps: 1 if it keeps the newest message, as all channels of the pool do
--   now: epoch ms
-- Reply: text (the channel of the activity; the new one if it is for the pool)

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
