-- begin-direct (writes)
--
-- The one atomic step of an update to few devices that its gateway sends at once. It checks the update, gives it
-- timestamp and order number, changes the activity's fields, and marks the update as under way. It replaces
-- `begin-update` if three conditions hold. No other broadcast of the activity is unfinished, the pace lets the
-- update leave at once, and the activity is of the plain kind. A refused update has changed nothing, and is recorded by
-- `begin-update`.
--
-- KEYS
--   activity
--   direct: broadcasts of the shard, by activity
--   broadcast: its record
--   update_page?: of the segment; given on a single server, which has the keys of both tags
--   status_page?: of the segment, given with the update page
--   credential?: of the caller's key, if this step also admits the request; given with the pages
--   rate_window?: of the key, given with the credential
-- ARGV
--   id
--   packed_id: the same in 16 bytes
--   may_be_known: '1' if it may have been recorded before
--   activity_id
--   tenant
--   type_name
--   slots: of the segment, as the caller has read them
--   now: epoch ms
--   held_until: epoch ms
--   arrived: the latest epoch ms at which a gateway can have received the request
--   noted_as: the arrival to compare others with, an epoch ms that has passed
--   hold: of the gateway
--   part: the partition
--   payload_before: the payload up to its timestamp, or sealed
--   payload_after: the payload after its timestamp, '' if it is sealed
--   digest: of the content that the payload shows
--   interval: between updates in ms, 0 for none; an activity may have its own
--   given_priority: '' for the priority by the activity's budget
--   budget: that budget in updates an hour, 0 for no limit
--   given_expiration: epoch seconds, '' for the activity's end
--   devices: number of slots
--   tier: tier of the key as the caller has read it, '' if the request was admitted before
--   limits: limits of the key as the caller has read them
--   rate: requests in a window, 0 for no limit
--   window: ms
--   known: epoch ms of the oldest known request in the window, '' for none
--   fields...(2): and values of the record
-- Reply: one of
--   declined = 0: the update must be recorded as any other
--   changed = 2: the activity has changed since the caller read it
--   begun = 1 {timestamp: int, order: int, updates: int, priority: int, created_at: int, started_at: int, ends_at: int,
--     id_attribute: text, tokens: bytes, statuses: bytes, requests_left: int, free_at: int, label: text}
--   The updates in this hour include this one. The activity's times are epoch ms. Its attribute for its id and its
--   label are '' for none. The pages are '' if the keys do not include them. `free_at` is the epoch ms at which the
--   oldest request leaves the window. Without a key, it and `requests_left` are 0.
-- Call: appended
-- Includes: timestamps, hours, recent, ended-broadcasts, rate-window, pages, arrivals

-- Admits the request as `admit` does, if the key still has the rights that the caller has read.
local key
if credential then
    key = redis.call('HMGET', credential, 'tenant', 'kind', 'enabled', 'tier', 'limits', 'window_until')
    local is_known = key[1] == tenant and key[2] == 'api' and key[3] == '1' and key[4] == tier
        and (key[5] or '') == limits
    if not is_known then return { 0 } end
end
local flat, is = redis.call('HGETALL', activity), {}
for index = 1, #flat, 2 do is[flat[index]] = flat[index + 1] end
local time = tonumber(now)
local is_same = is.state == ACTIVITY.started and is.tenant == tenant and is.type == type_name and is.slots == slots
    and not (is.topic or is.channels or is.catch_up or is.heal or is.schedule or is.external_id)
if not is_same then return { 2 } end
if not is.order or is.order ~= is.settled or tonumber(is.ends_at) <= time then return { 0 } end
if came_later(tonumber(is.arrived), tonumber(arrived), time) then return { 0 } end
if may_be_overtaken(activity, tonumber(arrived), time) then return { 0 } end

-- The pace and the timestamp, as `pacing` and `timestamps` compute them for an update that does not wait.
local pace, turn = tonumber(is.min_interval or interval), nil
if pace > 0 then
    local reached = math.min(tonumber(is.pace) or 0, time + 3 * pace)
    if reached - pace > time then return { 0 } end
    turn = math.max(reached, time) + pace
end
local last = tonumber(is.timestamp) or 0
local used = pace >= 1000 and used_timestamp(tonumber(is.used_timestamp), last, time)
local timestamp = math.max(math.floor(time / 1000), (used or last) + 1)
-- Timestamps of lists that have been taken back are another matter.
if used and last > timestamp then return { 0 } end
if pace >= 1000 and math.min((timestamp - 2) * 1000, time + LIMIT.longest_wait) > time then return { 0 } end
local function is_known()
    return redis.call('EXISTS', broadcast) == 1 or find_ended(activity, id, packed_id)
end
if may_be_known == '1' and is_known() then return { 0 } end

-- The devices of the update. At least one must have a token. Without the pages, the caller has checked this.
local tokens, statuses = '', ''
if update_page then
    local pages, has_target = open_pages({ update_page, status_page }), false
    tokens, statuses = read_page(pages[1]) or '', read_page(pages[2]) or ''
    local first, past = struct.unpack('<I4I4', slots)
    local width, begin = string.byte(tokens, 1) or 0, first % SIZE.slots_per_page
    for index = begin, begin + past - first - 1 do
        local status = string.byte(statuses, index + 1) or STATUS.absent
        local is_live = status ~= STATUS.absent and status ~= STATUS.removed and status < STATUS.ended
        has_target = has_target or is_live and (string.byte(tokens, 2 + index * width) or 0) > 0
    end
    if not has_target then return { 0 } end
end

local updates = updates_of_hour(time, is.hour, is.hour_updates) + 1
local priority = tonumber(given_priority) or 10
if given_priority == '' and not is.frequent then
    priority = priority_of_update(time, is.hour, is.hour_urgent, tonumber(budget))
end
local urgent = updates_of_hour(time, is.hour, is.hour_urgent) + (priority == 10 and 1 or 0)
local order, spelled = string.format('%.0f', is.order + 1), string.format('%.0f', timestamp)
local kept_until = string.format('%.0f', is.ends_at + LIMIT.kept_after_end)
local expiration = given_expiration
if expiration == '' then expiration = string.format('%.0f', math.floor(is.ends_at / 1000)) end
local packed = cmsgpack.pack({
    kept_until, order, tenant, part, 'kind', 'update', 'state', BROADCAST.running, 'created_at', now,
    'started_at', now, 'order', order, 'timestamp', spelled,
    'payload', payload_after == '' and payload_before or payload_before .. spelled .. payload_after, 'jobs', '1',
    'updates', string.format('%.0f', updates), 'priority', string.format('%.0f', priority),
    'expiration', expiration, 'activity', activity_id, 'devices', devices, 'direct', '1', unpack(ARGV, fields_at)
})
local is_allowed, left, free_at = true, 0, 0
if credential and rate ~= '0' then
    local clock = redis.call('TIME')
    is_allowed, left, free_at = take_request(rate_window, credential, tonumber(rate), tonumber(window),
        clock[1] * 1000 + math.floor(clock[2] / 1000), tonumber(known), tonumber(key[6]))
end
if not is_allowed then return { 0 } end
local value = held_until .. ' ' .. hold .. ' ' .. id .. ' -' .. packed
if redis.call('HSETNX', direct, activity_id, value) == 0 then
    if free_at > 0 then redis.call('LTRIM', rate_window, 0, -2) end
    return { 0 }
end
local changes = {
    'timestamp', spelled, 'order', order, 'settled', order,
    'hour', string.format('%.0f', math.floor(time / 3600000)), 'hour_updates', string.format('%.0f', updates),
    'arrived', latest_arrival(tonumber(is.arrived), noted_as, time),
}
local function change(name, new)
    changes[#changes + 1] = name
    changes[#changes + 1] = new
end
local recent = recent_with(is.recent, activity, id, packed_id, kept_until)
if recent then change('recent', recent) end
if urgent > 0 or is.hour_urgent then change('hour_urgent', string.format('%.0f', urgent)) end
-- A missing field equals the activity's newest timestamp, so only existing ones need the new value.
if is.whole_timestamp then change('whole_timestamp', spelled) end
if is.used_timestamp then change('used_timestamp', spelled) end
if turn then change('pace', string.format('%.0f', turn)) end
if digest ~= '' then
    change('shown', digest)
    change('shown_order', order)
end
-- The update is under way only if its activity says so: without the right to HSET it is taken back.
local changed = redis.pcall('HSET', activity, unpack(changes))
if type(changed) == 'table' then
    redis.call('HDEL', direct, activity_id)
    if free_at > 0 then redis.call('LTRIM', rate_window, 0, -2) end
    redis.call('HSET', activity, unpack(changes))
end
return { 1, timestamp, tonumber(order), updates, priority, tonumber(is.created_at), tonumber(is.started_at) or 0,
    tonumber(is.ends_at), is.id_attribute or '', tokens, statuses, left, free_at, is.label or '' }
