-- ended-broadcasts (part)
--
-- The short forms of broadcasts that have ended and whose content is no longer needed. Each takes about fifty bytes,
-- while a key of its own takes a thousand. The first ones of an activity are fields of its hash, by the last group of
-- their ids. The field `ended` counts them, and is missing if there are none. The other ones are in a hash beside it,
-- by the sixteen bytes of their ids. It also has those that are not named after their activity.
--
-- The value is a text of parts separated by blanks, without empty ones at the end: see `EndedBroadcast`. In the
-- activity's hash its time has a sign, and counts from that of the activity.

local function ended_of(activity) return activity .. ':ended' end

-- The field of a broadcast in its activity's hash; nil if the broadcast is not named after the activity.
local function field_of_ended(activity, id)
    return string.sub(id, 1, 23) == string.sub(activity, -36, -14) and string.sub(id, -12) or nil
end

-- An id in 16 bytes.
local function packed(id)
    return (string.gsub(string.gsub(id, '-', ''), '%x%x', function(digits)
        return string.char(tonumber(digits, 16))
    end))
end

-- The activity of a broadcast, its id, and its id in 16 bytes, from the key of its record.
local function parts_of_key(broadcast)
    local activity, id = string.match(broadcast, '^(.*):b:([^:]*)$')
    return activity, id, packed(id)
end

-- The hash with a broadcast's short form, its field there, and its value; nil if there is none.
local function find_ended(activity, id, packed_id)
    local field = field_of_ended(activity, id)
    local value = field and redis.call('HGET', activity, field)
    if value then return activity, field, value end
    value = redis.call('HGET', ended_of(activity), packed_id)
    if value then return ended_of(activity), packed_id, value end
end

local function parts_of_ended(value)
    local parts, position = {}, 1
    while #parts < 10 do
        local blank = string.find(value, ' ', position, true)
        parts[#parts + 1] = string.sub(value, position, (blank or #value + 1) - 1)
        position = (blank or #value) + 1
    end
    -- The reasons of failures are the provider's words, and may contain blanks.
    parts[11] = string.sub(value, position)
    return parts
end

local function ended_with(parts)
    return (string.gsub(table.concat(parts, ' '), ' +$', ''))
end

-- The activity's fields that say where the short form of a broadcast goes; nil for one that is not named after it.
local function fields_for_ended(activity, id)
    local field = field_of_ended(activity, id)
    return field and { 'ended', 'created_at', field }
end

-- Writes nothing if the activity no longer exists. The parameter `is` has the values of `fields_for_ended`; nil to read
-- them. In the same step, fields and values in `changes` become the activity's.
local function put_ended(activity, id, packed_id, value, is, changes)
    local names = fields_for_ended(activity, id)
    local count, made_at, old = unpack(is or names and redis.call('HMGET', activity, unpack(names)) or {}, 1, 3)
    local written = changes or {}
    if old or count and tonumber(count) < LIMIT.ended_in_activity and #value <= LIMIT.ended_value then
        local short = string.gsub(value, '^(%a%a)(%d+)', function(head, time)
            return head .. string.format('%+.0f', time - made_at)
        end)
        for _, each in ipairs({ 'ended', old and count or tonumber(count) + 1, names[3], short }) do
            written[#written + 1] = each
        end
    else
        local ended = ended_of(activity)
        redis.call('HSET', ended, packed_id, value)
        if redis.call('PTTL', ended) < 0 then
            local left = redis.call('PTTL', activity)
            if left > 0 then redis.call('PEXPIRE', ended, left) elseif left == -2 then redis.call('UNLINK', ended) end
        end
    end
    if #written > 0 then redis.call('HSET', activity, unpack(written)) end
end

-- Writes the short form of a record, whose fields are given. See `put_ended`.
local function keep_ended(broadcast, is, activity_is, changes)
    local function after(time) return time and string.format('%.0f', time - is.created_at) or '' end
    local function unless_none(count) return count ~= '0' and count or '' end
    local started = after(is.started_at)
    if is.started_at and is.first_push and is.last_push then
        started = string.format('%s+%.0f+%.0f', started, is.first_push - is.started_at, is.last_push - is.first_push)
    end
    local second = math.floor(is.created_at / 1000)
    local ahead = is.timestamp and string.format('%.0f', is.timestamp - second)
    local activity, id, packed_id = parts_of_key(broadcast)
    put_ended(activity, id, packed_id, ended_with({
        string.sub(is.kind, 1, 1) .. string.sub(is.state, 1, 1) .. is.created_at,
        started, after(is.finished_at), unless_none(ahead), unless_none(is.updates),
        unless_none(is.accepted), is.skipped or '', is.cohorts or '',
        (is.events == '1' and 'e' or '') .. (is.wrong_environment == '1' and 'w' or '')
            .. (is.source == 'device' and 'd' or '') .. (is.reason or ''),
        is.follows or '', is.failed or '',
    }), activity_is, changes)
end

local RECORD_NAMES = {
    'kind', 'state', 'created_at', 'started_at', 'finished_at', 'timestamp', 'updates', 'accepted', 'failed', 'skipped',
    'cohorts', 'events', 'wrong_environment', 'reason', 'follows', 'first_push', 'last_push', 'source', 'late', 'scope',
}

-- The fields of a record that its short form has, those that say if it is kept, and its target list.
local function read_record(broadcast)
    local is, values = {}, redis.call('HMGET', broadcast, unpack(RECORD_NAMES))
    for index, name in ipairs(RECORD_NAMES) do is[name] = values[index] end
    return is
end

-- Writes the short form of a record. Deletes the record at once or after the given ms.
local function fold_record(broadcast, after)
    local is = read_record(broadcast)
    if not is.kind or not is.created_at then return end
    keep_ended(broadcast, is)
    if after then redis.call('PEXPIRE', broadcast, after) else redis.call('UNLINK', broadcast) end
end
