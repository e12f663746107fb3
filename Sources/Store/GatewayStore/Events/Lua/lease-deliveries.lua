-- lease-deliveries (writes)
--
-- Makes a gateway the one that delivers a tenant's events, or keeps it so, and tells which webhooks have something
-- to do.
--
-- KEYS
--   settings: the tenant's
--   lease
-- ARGV
--   gateway
--   lifetime: of the lease, ms
--   webhook_prefix: what the keys of webhooks begin with
--   now: epoch ms
--   given_up_before: epoch ms
--   forgotten_before: epoch ms
-- Reply: nil when another gateway has the lease, else {whether there are webhooks, id ...}

local holder = redis.call('GET', lease)
if holder and holder ~= gateway then return false end
redis.call('SET', lease, gateway, 'PX', lifetime)
local found, is_any = {}, '0'
for _, name in ipairs(redis.call('HKEYS', settings)) do
    if string.match(name, '^[wx]:') then is_any = '1' end
    if string.sub(name, 1, 2) == 'w:' then
        local webhook = webhook_prefix .. string.sub(name, 3)
        local function has(queue, time)
            local first = redis.call('ZRANGE', webhook .. queue, 0, 0, 'WITHSCORES')[2]
            return first and tonumber(first) <= tonumber(time)
        end
        if has(':q', now) or has(':b', given_up_before) or has(':d', forgotten_before) then
            found[#found + 1] = string.sub(name, 3)
        end
    end
end
return { is_any, unpack(found) }
