-- begin-channel (writes)
--
-- Records that a broadcast channel is about to be created, unless too many creations are under way. An older creation
-- counts as lost, because its gateway or the provider's reply is missing.
--
-- KEYS
--   intents
--   listing
-- ARGV
--   intent
--   now: epoch ms
--   since: epoch ms; earlier creations are lost
--   limit: most creations at the same time
-- Reply: flag (false if too many are under way)
-- Includes: write-rights

require_writes(intents, 'HINCRBY', 'ZADD')
local lost = redis.call('ZREMRANGEBYSCORE', intents, '-inf', '(' .. since)
if lost > 0 then redis.call('HINCRBY', listing, 'lost', lost) end
if redis.call('ZCARD', intents) >= tonumber(limit) then return 0 end
redis.call('ZADD', intents, now, intent)
return 1
