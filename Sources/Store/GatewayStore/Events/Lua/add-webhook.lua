-- add-webhook (writes)
--
-- Makes a webhook, if the tenant may have one more.
--
-- KEYS
--   settings: the tenant's
--   webhook
-- ARGV
--   id
--   most: webhooks that there may be
--   types
--   fields...(2): and values
-- Reply: 1, or 0 when there are too many
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
