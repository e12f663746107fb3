-- timestamps (part)
--
-- The timestamp of a broadcast. One to the whole segment is newer than all others of the activity. An update to a
-- target list need only be newer than those of its own devices. Hashes, one for each timestamp, record its devices for
-- some seconds.

-- The fields of timestamp records for all devices, for ends of long lists, and for the devices of a short list. The
-- parameter `listed` has the slots of a short list; it is nil for others.
local function fields_of_timestamp(listed)
    return { '*', 'ends', unpack(listed or {}) }
end

-- The newest timestamp that has been sent. `noted` is the recorded one, missing if it equals `last`, the newest of all.
-- An update to the whole segment supersedes waiting ones, and leaves within two seconds of its timestamp.
local function used_timestamp(noted, last, now)
    local near = math.floor(now / 1000) + 2
    -- The clock was set back, because no update waits that long or leaves that far ahead. Every update may have left.
    if not noted or noted > near or last > near + LIMIT.longest_wait / 1000 then return last end
    return math.max(noted, math.min(last, near))
end

-- The seconds by which the clock was set back, as shown by the newest timestamp that was sent.
local function clock_step(used, now)
    return used and math.max(0, used - math.floor(now / 1000) - 2) or 0
end

-- Writes a timestamp of the activity that may be older than the newest of all. The field is missing if it is not.
local function note_older_timestamp(activity, field, old, timestamp, last)
    if timestamp < last then
        redis.call('HSET', activity, field, string.format('%.0f', timestamp))
    elseif old then
        redis.call('HDEL', activity, field)
    end
end

-- Deletes the records of timestamps whose updates are superseded.
local function forget_timestamps(activity, newest, last)
    for second = newest + 1, math.min(last, newest + LIMIT.longest_wait / 1000) do
        redis.call('DEL', activity .. ':t:' .. string.format('%.0f', second))
    end
end

-- The smallest timestamp from `first` on that is newer than all those of the devices. `last` is the activity's.
local function list_timestamp(activity, first, last, listed)
    if not listed or #listed == 0 then return math.max(first, last + 1) end
    -- More timestamps are too many to search. A timestamp above all others is newer than theirs.
    if last - first > LIMIT.longest_wait / 1000 then return last + 1 end
    local slots = fields_of_timestamp(listed)
    -- An end may be one ahead of all that is not an end.
    for second = last + 1, first, -1 do
        local key = activity .. ':t:' .. string.format('%.0f', second)
        if redis.call('EXISTS', key) == 1 then
            local noted = redis.call('HMGET', key, unpack(slots))
            for index = 1, #slots do if noted[index] then return second + 1 end end
        end
    end
    return first
end

local function note_timestamp(activity, now, timestamp, listed, is_end)
    local key, fields = activity .. ':t:' .. string.format('%.0f', timestamp), {}
    local slots = fields_of_timestamp(listed)
    if #slots == 2 then slots[3] = is_end and 'ends' or '*' end
    for index = 3, #slots do
        fields[#fields + 1] = slots[index]
        fields[#fields + 1] = '1'
    end
    redis.call('HSET', key, unpack(fields))
    redis.call('PEXPIRE', key, string.format('%.0f', math.max(0, timestamp * 1000 - now) + 5000))
end

-- The timestamp of a broadcast to the whole segment. `last` is the activity's. `used` is the newest one sent, if known.
local function timestamp_for_all(activity, last, used, older, now, leave)
    local base = used or last
    -- An update that never leaves uses no timestamp.
    if not used and older and older.timestamp == last and (older.not_before > now or leave <= now) then
        base = last - 1
    end
    local timestamp = math.max(math.floor(leave / 1000), base + 1)
    if used then forget_timestamps(activity, timestamp, last) end
    return timestamp
end

-- The timestamp of a broadcast to a target list. `whole_last` is that of the last broadcast to the whole segment.
local function timestamp_for_list(activity, last, whole_last, older, now, leave, listed)
    local first = math.max(math.floor(leave / 1000), whole_last + 1)
    local timestamp = list_timestamp(activity, first, last, listed)
    if older and older.not_before > now and older.timestamp >= first and timestamp == older.timestamp + 1 then
        return older.timestamp
    end
    return timestamp
end

-- The timestamp of a start for devices without a push of the activity. It need not be newer than any, and later ones
-- are newer. So any number of these starts delays no update.
local function timestamp_for_joining(last, used, now)
    return math.max(math.floor(now / 1000), used or last)
end
