-- add-usage (writes)
--
-- Adds what a gateway has counted since it last told: users and devices that came or went, and devices seen for the
-- first time. Without any it only looks.
--
-- KEYS
--   usage: the tenant's
-- ARGV
--   users: more, or fewer
--   devices: likewise
--   fresh: devices seen for the first time
--   users_limit: 0 for none
--   devices_limit: likewise
--   fresh_limit: in a window
--   window: ms
--   names...: of the three limits
-- Reply: {users, devices, seen for the first time within the window, ms for which none of these is to be let in}, and
--   for each quota that is nearly or wholly used up since: its name, 1 or 2, what is used, the limit
-- Includes: minute-window, crossings

local function total(field, more)
    if more == '0' then return tonumber(redis.call('HGET', usage, field) or 0) end
    local sum = redis.call('HINCRBY', usage, field, more)
    -- A gateway that was killed may have forgotten some that came.
    if sum < 0 then
        redis.call('HSET', usage, field, '0')
        return 0
    end
    return sum
end

local now = now_ms()
local all_users, all_devices = total('users', users), total('devices', devices)
local text, sum, wait = add_to_window(redis.call('HGET', usage, 'fresh') or '', tonumber(fresh), tonumber(fresh_limit),
    tonumber(window), now)
if fresh ~= '0' then redis.call('HSET', usage, 'fresh', text) end
local reply = { all_users, all_devices, sum, wait }
note_crossing(usage, ARGV[names_at], all_users, users_limit, 0, now, reply)
note_crossing(usage, ARGV[names_at + 1], all_devices, devices_limit, 0, now, reply)
note_crossing(usage, ARGV[names_at + 2], sum, fresh_limit, 3600000, now, reply)
return reply
