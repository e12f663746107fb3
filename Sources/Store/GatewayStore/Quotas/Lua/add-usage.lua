-- add-usage (writes)
--
-- Adds what a gateway has counted since it last told: users and devices that came or went, and devices seen for the
-- first time. Gives it permits for more of them, which count as used while it holds them: so what all gateways make
-- never exceeds a limit. Without a holder it only adds and looks.
--
-- KEYS
--   usage: the tenant's
-- ARGV
--   users: more, or fewer
--   devices: likewise
--   fresh: devices seen for the first time
--   holder: the gateway, '' for none
--   batch: number of what it has counted, which grows; what is told again under the same one counts once
--   remembered: ms for which the number is known
--   tells: '1' when the limits are known to be the tenant's
--   turn: grows with each call of the holder
--   users_held: permits that it keeps
--   devices_held: likewise
--   need: permits that reports wait for
--   wish: permits beyond those
--   window: ms
--   kept: ms for which permits count as used when the holder is not heard of any more
--   recounting: ms after which a recount that has not ended counts as lost
--   users_limit: 0 for none
--   devices_limit: likewise
--   fresh_limit: in a window
--   names...: of the three limits
-- Reply: {users, devices, seen for the first time within the window, ms for which none of these is to be let in, more
--   permits for devices, for users, which limits have nothing left: 1 users, 2 devices, 4 new devices, added up, 1
--   when the caller is to recount the tenant, else 0}, and for each quota that is nearly or wholly used up since: its
--   name, 1 or 2, what is used, the limit
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

-- Whether what is told was not counted before.
local function is_new(now)
    if holder == '' or users == '0' and devices == '0' and fresh == '0' then return true end
    local last = string.match(redis.call('HGET', usage, 's:' .. holder) or '', '^(%d+):')
    if tonumber(batch) <= (tonumber(last) or 0) then return false end
    redis.call('HSET', usage, 's:' .. holder, batch .. ':' .. string.format('%.0f', now + remembered))
    return true
end

-- Permits of others, for users and for devices, and the holder's own turn before this one. Entries of lost gateways are
-- dropped. The tenant is then due for a recount, because a lost gateway may not have reported its last counts.
local function held_by_others(now)
    local of_users, of_devices, last_turn = 0, 0, 0
    local all = redis.call('HGETALL', usage)
    for index = 1, #all, 2 do
        local name = string.match(all[index], '^l:(.*)$')
        if name then
            local a, b, ends_at, its_turn = string.match(all[index + 1], '^(%d+):(%d+):(%d+):(%d+)$')
            if name == holder then
                last_turn = tonumber(its_turn) or 0
            elseif (tonumber(ends_at) or 0) > now then
                of_users, of_devices = of_users + tonumber(a), of_devices + tonumber(b)
            else
                redis.call('HDEL', usage, all[index])
                redis.call('HSET', usage, 'lost', '0')
            end
        elseif string.sub(all[index], 1, 2) == 's:'
            and (tonumber(string.match(all[index + 1], ':(%d+)$')) or 0) < now then
            redis.call('HDEL', usage, all[index])
        end
    end
    return of_users, of_devices, last_turn
end

-- 1 when a recount is due and no other gateway has begun it lately.
local function takes_recount(now)
    local due = holder ~= '' and tonumber(redis.call('HGET', usage, 'lost') or '')
    if not due or due > now then return 0 end
    redis.call('HSET', usage, 'lost', string.format('%.0f', now + recounting))
    return 1
end

local now = now_ms()
local users, devices, fresh = users, devices, fresh
if not is_new(now) then users, devices, fresh = '0', '0', '0' end
local all_users, all_devices = total('users', users), total('devices', devices)
local text, sum, wait = add_to_window(redis.call('HGET', usage, 'fresh') or '', tonumber(fresh), tonumber(fresh_limit),
    tonumber(window), now)
if fresh ~= '0' then redis.call('HSET', usage, 'fresh', text) end
local more_users, more_devices, short = 0, 0, 0
if holder ~= '' then
    local of_users, of_devices, last_turn = held_by_others(now)
    of_users, of_devices = of_users + tonumber(users_held), of_devices + tonumber(devices_held)
    local function room(limit, used, bit)
        if limit == '0' then return math.huge end
        local left = tonumber(limit) - used
        if left <= 0 then short = short + bit end
        return math.max(0, left)
    end
    local user_room = room(users_limit, all_users + of_users, 1)
    local device_room = math.min(room(devices_limit, all_devices + of_devices, 2),
        room(fresh_limit, sum + of_devices, 4))
    -- What comes late, behind a newer call, gives nothing, as nobody would know of it.
    if tonumber(turn) > last_turn then
        more_devices = math.min(device_room, need + math.min(tonumber(wish), math.floor(device_room / 8)))
        more_users = math.max(0, math.min(user_room, devices_held + more_devices - users_held))
        local has_users, has_devices = users_held + more_users, devices_held + more_devices
        if has_users + has_devices > 0 then
            redis.call('HSET', usage, 'l:' .. holder,
                string.format('%.0f:%.0f:%.0f:%s', has_users, has_devices, now + kept, turn))
        else
            redis.call('HDEL', usage, 'l:' .. holder)
        end
    end
end
local reply = { all_users, all_devices, sum, wait, more_devices, more_users, short, takes_recount(now) }
if tells == '' then return reply end
note_crossing(usage, ARGV[names_at], all_users, users_limit, 0, now, reply)
note_crossing(usage, ARGV[names_at + 1], all_devices, devices_limit, 0, now, reply)
note_crossing(usage, ARGV[names_at + 2], sum, fresh_limit, 3600000, now, reply)
return reply
