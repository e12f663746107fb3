-- begin-channel (writes)
--
-- Notes that a broadcast channel is about to be made, unless too many are being made.
--
-- What began longer ago is over, and nobody knows how: its gateway was lost, or the provider's answer was.
--
-- KEYS
--   intents
--   listing
-- ARGV
--   intent
--   now: epoch ms
--   since: epoch ms; what began before is over
--   limit: under way at the same time
-- Reply: 1 when it is noted, 0 when too many are under way

local lost = redis.call('ZREMRANGEBYSCORE', intents, '-inf', '(' .. since)
if lost > 0 then redis.call('HINCRBY', listing, 'lost', lost) end
if redis.call('ZCARD', intents) >= tonumber(limit) then return 0 end
redis.call('ZADD', intents, now, intent)
return 1
