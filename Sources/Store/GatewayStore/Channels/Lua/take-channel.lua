-- take-channel (writes)
--
-- Gives an activity a broadcast channel that is ready.
--
-- Who has one is given the same again, as of now. Those in the pool keep the newest message; the oldest goes first.
--
-- KEYS
--   pool
--   used
--   takers
-- ARGV
--   taker: activity, environment and policy
--   keeps: 1 when the channel must keep the newest message, 0 when it must not
--   now: epoch ms
-- Reply: the channel, nil when none is ready

local channel = redis.call('HGET', takers, taker)
if not channel and keeps == '1' then channel = redis.call('ZPOPMIN', pool)[1] end
if not channel then return false end
redis.call('HSET', takers, taker, channel)
redis.call('HSET', used, channel, taker .. ' ' .. now)
return channel
