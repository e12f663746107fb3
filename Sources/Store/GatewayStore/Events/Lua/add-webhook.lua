-- add-webhook (writes)
--
-- Adds a webhook unless the tenant has reached the limit.
--
-- KEYS
--   settings: the tenant's
--   webhook
-- ARGV
--   id
--   most: limit of webhooks
--   types
--   fields...(2): names and values
-- Reply: flag (false if the limit is reached)
-- Includes: event-switch

local count = 0
for _, name in ipairs(redis.call('HKEYS', settings)) do
    if string.match(name, '^[wx]:') then count = count + 1 end
end
if count >= tonumber(most) then return 0 end
redis.call('HSET', settings, 'w:' .. id, types)
redis.call('HSET', webhook, 'types', types, 'enabled', '1', unpack(ARGV, fields_at))
switch(settings)
return 1
