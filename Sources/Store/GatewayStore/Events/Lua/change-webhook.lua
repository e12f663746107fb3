-- change-webhook (writes)
--
-- Changes the URL, types or state of a webhook, and resets its failures.
--
-- KEYS
--   webhook
--   queue: event ids by due time
--   arrivals: event ids by arrival
--   tries: by event
--   dead_letters: event ids by the time of giving up
--   settings: the tenant's
-- ARGV
--   id: the webhook's
--   url: '' to keep it
--   types: '' to keep them
--   enabled: '' to keep it
-- Reply: flag (false if the webhook does not exist)
-- Includes: event-switch

if redis.call('EXISTS', webhook) == 0 then return 0 end
if url ~= '' then redis.call('HSET', webhook, 'url', url) end
if types ~= '' then redis.call('HSET', webhook, 'types', types) end
if enabled ~= '' then redis.call('HSET', webhook, 'enabled', enabled) end
-- A change is assumed to fix the cause of the failures.
redis.call('HSET', webhook, 'failures', 0)
local is = redis.call('HMGET', webhook, 'types', 'enabled')
redis.call('HDEL', settings, 'w:' .. id, 'x:' .. id)
if is[2] == '1' then redis.call('HDEL', webhook, 'reason') end
redis.call('HSET', settings, (is[2] == '1' and 'w:' or 'x:') .. id, is[1])
switch(settings)
return 1
