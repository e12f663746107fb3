-- add-usage (writes)
--
-- Adds a gateway's counts since its last report: users and devices that came or went, and new devices. Grants it
-- permits for more. Permits count as used while a gateway holds them, so all gateways together never exceed a limit.
-- Without a holder the script adds and reads, but grants nothing.
--
-- KEYS
--   usage: the tenant's
-- ARGV
--   users: change in users, negative for removals
--   devices: change in devices, negative for removals
--   fresh: devices seen for the first time
--   holder: the gateway's id, '' for none
--   batch: ascending number of the counts; a repeated batch counts once
--   remembered: ms for which the batch number is kept
--   tells: '1' if the limits are the tenant's own
--   turn: ascending number of the holder's calls
--   users_held: permits for users that the holder keeps
--   devices_held: permits for devices that the holder keeps
--   need: permits that waiting reports need
--   wish: permits beyond the needed ones
--   window: ms
--   kept: ms for which permits of a silent holder count as used
--   recounting: ms after which an unfinished recount counts as lost
--   users_limit: 0 for none
--   devices_limit: 0 for none
--   fresh_limit: new devices in a window, 0 for none
--   names...: of the three limits
-- Reply: {users: int, devices: int, fresh: int, wait: int, given_users: int, given_devices: int, short: int,
--   lost: flag, crossings: text...}
--   fresh: new devices in the window
--   wait: ms for which to refuse new devices
--   given_users, given_devices: additional permits
--   short: sum of the exhausted limits (1 users, 2 devices, 4 new devices)
--   lost: true if the caller must recount
--   crossings: four texts each, see `crossings`
-- Includes: minute-window, crossings, write-rights

local function total(field, more)
    if more == '0' then return tonumber(redis.call('HGET', usage, field) or 0) end
    local sum = redis.call('HINCRBY', usage, field, more)
    -- A gateway that was killed may not have reported its last additions.
    if sum < 0 then
        redis.call('HSET', usage, field, '0')
        return 0
    end
    return sum
end

-- True if the batch was not counted before.
local function is_new(now)
    if holder == '' or users == '0' and devices == '0' and fresh == '0' then return true end
    local last = string.match(redis.call('HGET', usage, 's:' .. holder) or '', '^(%d+):')
    if tonumber(batch) <= (tonumber(last) or 0) then return false end
    redis.call('HSET', usage, 's:' .. holder, batch .. ':' .. string.format('%.0f', now + remembered))
    return true
end

-- Returns the permits of other holders for users and for devices, and the holder's last turn. Drops the entries of lost
-- gateways and marks the tenant for a recount, because a lost gateway may not have reported its last counts.
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

-- Returns 1 if a recount is due and no other gateway runs one, and then leases it to the caller.
local function takes_recount(now)
    local due = holder ~= '' and tonumber(redis.call('HGET', usage, 'lost') or '')
    if not due or due > now then return 0 end
    redis.call('HSET', usage, 'lost', string.format('%.0f', now + recounting))
    return 1
end

-- A batch is noted before it is counted.
if holder ~= '' then require_writes(usage, 'HDEL', 'HINCRBY', 'HSET') end
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
    -- A call that arrives behind a newer one grants nothing, because its permits would never be used.
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
local reply = { all_users, all_devices, sum, wait, more_users, more_devices, short, takes_recount(now) }
if tells == '' then return reply end
note_crossing(usage, ARGV[names_at], all_users, users_limit, 0, now, reply)
note_crossing(usage, ARGV[names_at + 1], all_devices, devices_limit, 0, now, reply)
note_crossing(usage, ARGV[names_at + 2], sum, fresh_limit, 3600000, now, reply)
return reply
