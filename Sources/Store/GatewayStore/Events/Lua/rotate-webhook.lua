-- rotate-webhook (writes)
--
-- Gives a webhook a new secret; the present one stays in force for a while.
--
-- KEYS
--   webhook
-- ARGV
--   secret: sealed
--   old_until: until when the present one is in force, epoch ms
--   rotation: what the change is called
-- Reply: 1 or 0

local old = redis.call('HGET', webhook, 'secret')
if not old then return 0 end
redis.call('HSET', webhook, 'secret', secret, 'old_secret', old, 'old_until', old_until, 'rotation', rotation)
return 1
