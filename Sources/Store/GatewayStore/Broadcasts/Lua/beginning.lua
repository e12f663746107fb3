-- beginning (part)
--
-- The steps that the start, the update and the end of an activity have in common. Each of the three is one atomic
-- script: the change of the activity, the durable record of the broadcast, and its jobs. The last write is that of the
-- activity's state and order number.
--
-- A broadcast of a due item is recorded only if the item is still there. The script removes the item, so the broadcast
-- is recorded once, however many gateways have read the item. A topic's broadcast is recorded only for the gateway that
-- drives the topic.
--
-- `draft` has the script's arguments and what follows from them.
-- Includes: schedules, drivers, timestamps, turns, unfinished, recent, partition-jobs, held-jobs

-- The parts of 'version:id:name' of a schedule. Without a schedule, the id is ''.
local function parts_of_schedule(text)
    local version, id, name = string.match(text, '^(%d+):([^:]+):(.*)$')
    return { version = version, id = id or '', name = name }
end

-- The parts of 'driver:version:joined:life' of a broadcast's topic. The driver is a gateway's token, and the version is
-- that of new content. The number of users whose prepared slots join the segment is `joined`. The life is the one for
-- which an activity starts. Each but the driver may be ''.
local function parts_of_topic(text)
    local driver, version, joined, life = string.match(text, '^([^:]*):(%d*):(%d*):(%d*)$')
    return { driver = driver or '', version = version or '', joined = joined or '', life = life or '' }
end

-- Fields of a hash, by their names.
local function read_fields(key, names)
    local is, values = {}, redis.call('HMGET', key, unpack(names))
    for index, name in ipairs(names) do is[name] = values[index] end
    return is
end

local function is_recorded(activity, broadcast, id, packed_id)
    return redis.call('EXISTS', broadcast) == 1 or find_ended(activity, id, packed_id)
end

-- The reply that refuses a broadcast because of its schedule, the activity's state or the topic's driver; else nil.
local function refusal_of(draft, due, state, topic)
    local schedule = draft.schedule
    if schedule.id ~= '' and not is_waiting(draft.activity, due, draft.activity_id, schedule.id, schedule.version) then
        return { 3 }
    end
    if state ~= draft.expected_state then return { 0, state or '' } end
    if topic and redis.call('HGET', topic, 'driver') ~= draft.topic.driver then return { 0, 'driver' } end
    return nil
end

-- Writes the timestamps of the activity that may be older than `last`, the newest of all.
local function note_older_timestamps(activity, is, whole_last, used, last)
    note_older_timestamp(activity, 'whole_timestamp', is.whole_timestamp, whole_last, last)
    if used then note_older_timestamp(activity, 'used_timestamp', is.used_timestamp, used, last) end
end

local function next_order(is) return (tonumber(is.order) or 0) + 1 end

local function complete_payload(before, after, timestamp)
    return after == '' and before or before .. string.format('%.0f', timestamp) .. after
end

-- Ends the schedule behind the broadcast.
local function fulfil_schedule(draft, due)
    if draft.schedule.id == '' then return end
    end_schedule(draft.activity, due, draft.activity_id, draft.schedule.id, draft.now, SCHEDULE.done, 'broadcast',
        draft.id)
end

-- True if no broadcast of the activity is open, so that a new one has none to wait for or to supersede.
local function is_settled(is) return is.order and is.order == is.settled end

local function add_open(draft, order, open_broadcasts)
    redis.call('HSET', open_broadcasts, order,
        draft.id .. ':' .. draft.kind .. ':' .. (draft.whole and 'whole' or 'slots'))
end

-- Adds the broadcast to the unfinished ones of its activity and shard.
local function add_unfinished(draft, order, tenant, open_broadcasts, unfinished, owners, counts)
    local member = draft.activity_id .. ':' .. draft.id
    add_open(draft, order, open_broadcasts)
    redis.call('PEXPIREAT', open_broadcasts, draft.kept_until)
    redis.call('ZADD', unfinished, draft.kept_until, member)
    count_for(owners, counts, member, tenant or '')
end

-- Writes the record. `fields`: names and values beside those that every broadcast has. The record of a held job expires
-- only once the job is given back.
local function write_record(draft, broadcast, order, timestamp, payload, fields, is_held)
    local record = {
        'kind', draft.kind, 'state', is_held and BROADCAST.running or BROADCAST.queued, 'created_at', draft.now,
        'order', order, 'timestamp', string.format('%.0f', timestamp), 'payload', payload,
    }
    if not draft.whole then fields[#fields + 1], fields[#fields + 2] = 'scope', draft.scope end
    for _, each in ipairs(fields) do record[#record + 1] = each end
    redis.call('HSET', broadcast, unpack(record))
    if not is_held then redis.call('PEXPIREAT', broadcast, draft.kept_until) end
end

-- Writes the activity's fields `changes`, its order number and its recent broadcasts. The index of turns has the
-- broadcast unless its job is held.
local function change_activity(draft, order, topic, recent, changes, is_held)
    local list = nil
    -- The many that go to single followers of a topic are kept beside those that go to all.
    if topic and not draft.whole then
        list_recent(draft.activity .. ':recent_followers', draft.id, draft.kept_until)
    else
        list = recent_with(recent, draft.activity, draft.id, draft.packed_id, draft.kept_until)
    end
    if list then changes[#changes + 1], changes[#changes + 2] = 'recent', list end
    if not is_held then changes[#changes + 1], changes[#changes + 2] = 'indexed', order end
    redis.call('HSET', draft.activity, 'order', order, unpack(changes))
end
