-- take-channel (writes)
--
-- Assigns a ready broadcast channel to an activity. An activity with a channel keeps it, with a new time. Channels of
-- the pool keep the newest message, and the oldest is taken first.
--
-- KEYS
--   pool
--   used
--   takers
-- ARGV
--   taker: activity, environment and policy
--   keeps: 1 if the channel must keep the newest message, 0 if it must not
--   now: epoch ms
-- Reply: text? (the channel; nil if none is ready)
-- Includes: write-rights

local channel = redis.call('HGET', takers, taker)
if not channel and keeps == '1' then
    require_writes(pool, 'HSET')
    channel = redis.call('ZPOPMIN', pool)[1]
end
if not channel then return false end
redis.call('HSET', takers, taker, channel)
redis.call('HSET', used, channel, taker .. ' ' .. now)
return channel
