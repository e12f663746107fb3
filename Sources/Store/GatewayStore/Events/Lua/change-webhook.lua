-- change-webhook (writes)
--
-- Changes a webhook.
--
-- KEYS
--   webhook
--   queue: ids of events by when they are due
--   arrivals: ids of events by when they came
--   tries: by event
--   dead_letters: events that were given up
--   settings: the tenant's
-- ARGV
--   id: the webhook's
--   url: '' to leave it
--   types: '' to leave them
--   enabled: '' to leave it
-- Reply: 1, or 0 when there is none
-- Includes: event-switch

if redis.call('EXISTS', webhook) == 0 then return 0 end
if url ~= '' then redis.call('HSET', webhook, 'url', url) end
if types ~= '' then redis.call('HSET', webhook, 'types', types) end
if enabled ~= '' then redis.call('HSET', webhook, 'enabled', enabled) end
-- Whoever changes it has mended it.
redis.call('HSET', webhook, 'failures', 0)
local is = redis.call('HMGET', webhook, 'types', 'enabled')
redis.call('HDEL', settings, 'w:' .. id, 'x:' .. id)
if is[2] == '1' then redis.call('HDEL', webhook, 'reason') end
redis.call('HSET', settings, (is[2] == '1' and 'w:' or 'x:') .. id, is[1])
switch(settings)
return 1
