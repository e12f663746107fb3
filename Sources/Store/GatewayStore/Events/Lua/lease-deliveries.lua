-- lease-deliveries (writes)
--
-- Finds the webhooks of a tenant with due work, and acquires or renews the gateway's lease on deliveries. Without due
-- work the lease stays as it is.
--
-- KEYS
--   settings: the tenant's
--   lease
-- ARGV
--   gateway
--   lifetime: of the lease, ms
--   webhook_prefix: key prefix of webhooks
--   now: epoch ms
--   given_up_before: epoch ms
--   forgotten_before: epoch ms
-- Reply: {has_webhooks: flag, pause: int?, due: text...}?
--   nil if another gateway holds the lease
--   pause: ms until more work is due, nil for never
--   due: ids of the webhooks with due work

local holder = redis.call('GET', lease)
if holder and holder ~= gateway then return false end
local found, is_any, pause = {}, '0', nil
for _, name in ipairs(redis.call('HKEYS', settings)) do
    if string.match(name, '^[wx]:') then is_any = '1' end
    if string.sub(name, 1, 2) == 'w:' then
        local webhook, is_due = webhook_prefix .. string.sub(name, 3), false
        local queues = { { webhook .. ':q', now }, { webhook .. ':b', given_up_before },
            { webhook .. ':d', forgotten_before } }
        -- The usual case: no events.
        if redis.call('EXISTS', queues[1][1], queues[2][1], queues[3][1]) == 0 then queues = {} end
        for _, queue in ipairs(queues) do
            local first = redis.call('ZRANGE', queue[1], 0, 0, 'WITHSCORES')[2]
            local left = first and tonumber(first) - tonumber(queue[2])
            if left then
                if left <= 0 then is_due = true else pause = math.min(pause or left, left) end
            end
        end
        if is_due then found[#found + 1] = string.sub(name, 3) end
    end
end
if #found > 0 then redis.call('SET', lease, gateway, 'PX', lifetime) end
return { is_any, pause or false, unpack(found) }
