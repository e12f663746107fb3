-- begin-update (writes)
--
-- Begins an update: see `beginning`. The script marks the older updates that this one supersedes.
--
-- An update that waited while newer content for its devices was recorded is late. It is recorded as superseded. If the
-- newer content was for some of its devices, the update is not recorded, and the caller asks again for the others.
--
-- The caller may get the only job of an update at once: see `held-jobs`. The update must be named after its activity.
--
-- KEYS
--   activity
--   broadcast
--   open_broadcasts
--   unfinished
--   owners: of the unfinished broadcasts
--   counts: of these, by owner
--   small_jobs: stream of the lane
--   update_jobs: stream of the lane
--   due: queue
--   held: jobs of the shard
--   topic?: topic of the activity
-- ARGV
--   id
--   hold: its end in epoch ms and its name, separated by a blank; '' if the caller cannot hold the job
--   activity_id
--   expected_state
--   now: epoch ms
--   kept_until: expiry of the record, epoch ms
--   payload_before: the payload up to its timestamp, or sealed
--   payload_after: the payload after its timestamp, '' if it is sealed
--   addressed: number of slots of a target list, '' for the whole segment
--   scope: slots of a target list (`SlotList`), else ''
--   list_parts: the jobs of a target list, separated by commas
--   most_open: number of unfinished broadcasts at which a target list is refused; 0 for no limit
--   schedule: version, id and name, separated by colons; '' for none
--   interval: between updates in ms, 0 for none; an activity may have its own
--   topic_part: see `beginning`; '' without a topic
--   digest: of the content that the payload shows
--   skips_unchanged: '1' to skip an update that shows nothing new
--   arrival: the latest epoch ms at which a gateway can have received the request, and the one to compare others with,
--     which has passed; separated by a colon
--   urgency: the priority, or a colon and the number of updates in an hour that have priority 10, 0 for no limit
--   fields...(2): and values of the record
-- Reply: one of
--   recorded = 1 {timestamp: int, order: int, slots: bytes, updates: int, superseded: text, lists: text, leave: int,
--     channels: text, after_start: flag, priority: int, is_held: flag}: the new broadcast
--     slots: of the segment
--     updates: in this hour before it, or including it if its job is held
--     superseded: ids of the broadcasts that it supersedes now
--     lists: ids of older updates to target lists
--     leave: epoch ms from which it may leave
--     channels: to which it is sent
--     after_start: 1 if it is sent to channels once more after the starts that are under way
--     is_held: 1 if the caller has its job
--   done_before = 2
--   not_due = 3: the schedule is no longer due
--   unchanged = 4 {updates: int}: the update shows nothing new after the updates of this hour
--   crowded = 5: a target list is refused because of most_open
--   late = 6 {slots: bytes, others: int}: packed slots without newer content, and the number of other slots
--   refused = 0 {reason: text}: the activity's state if it is not the expected one, or driver if another gateway drives
--     the topic
-- Includes: beginning, pacing, superseding, catch-up, healing, shown, hours, topics, arrivals, rights

require_rights(broadcast .. ':rights', kept_until)
local packed_id = packed(id)

local time, whole = tonumber(now), addressed == ''
local draft = {
    kind = 'update', activity = activity, activity_id = activity_id, id = id, packed_id = packed_id, now = now,
    kept_until = kept_until, expected_state = expected_state, whole = whole, scope = scope,
    schedule = parts_of_schedule(schedule), topic = parts_of_topic(topic_part),
}
local received, noted_as = string.match(arrival, '^(%d+):(%d+)$')
local arrived = tonumber(received)
local is = read_fields(activity, {
    'state', 'timestamp', 'slots', 'hour', 'hour_updates', 'devices', 'whole_timestamp', 'turn', 'heal',
    'used_timestamp', 'channels', 'shown', 'min_interval', 'hour_urgent', 'frequent', 'tenant', 'recent', 'arrived',
    'order', 'indexed', 'catch_up', 'settled', 'pace', 'schedule', 'driven', 'newest_update',
})
-- A call with a hold is the first with its id, unless its answer came too late.
local may_be_known = hold == '' or string.find(is.recent or '', string.sub(packed_id, -6), 1, true)
if may_be_known and is_recorded(activity, broadcast, id, packed_id) then return { 2 } end
local slots, updates = is.slots or '', updates_of_hour(time, is.hour, is.hour_updates)
local listed = not whole and slots_of_scope(scope) or nil

-- The conditions.
local refusal = refusal_of(draft, due, is.state, topic)
if refusal then return refusal end
if whole and skips_unchanged == '1' and is_unchanged(digest, is.shown) then
    -- Devices already show the content of this update, so an older update is late.
    local changes = {}
    note_arrival(changes, activity, is.arrived, noted_as, time, whole, listed)
    redis.call('HSET', activity, unpack(changes))
    return { 4, updates }
end
if most_open ~= '0' and not whole and redis.call('HLEN', open_broadcasts) >= tonumber(most_open) then return { 5 } end
local is_late = came_later(tonumber(is.arrived), arrived, time)
if not is_late and may_be_overtaken(activity, arrived, time) then
    local addressed_slots = whole and slots_of_scope('\1' .. slots) or listed or {}
    if #addressed_slots > 0 then
        local left, others = slots_left(activity, addressed_slots, arrived, time)
        is_late = left == ''
        -- A list cannot take the place of an update that goes to channels, or that is kept for other devices.
        local can_be_list = not whole or not (topic or is.channels or is.heal or is.catch_up)
        if others > 0 and not is_late and can_be_list then return { 6, left, others } end
    end
end

-- The time at which it leaves, and its timestamp.
local pace, last = tonumber(is.min_interval or interval), tonumber(is.timestamp) or 0
local is_alone, wholes, covered = is_settled(is), {}, nil
if not is_alone then complete_turns(activity, open_broadcasts, is.order, is.indexed, time) end
if not is_alone and (whole or not is_late and pace > 0) then wholes = find_wholes(activity, open_broadcasts, time) end
if not whole and not is_late then
    covered = listed and find_covered(activity, open_broadcasts, listed, time)
        or find_coverable(activity, open_broadcasts, scope, time)
end
local used = pace >= 1000 and used_timestamp(tonumber(is.used_timestamp), last, time)
local whole_last = tonumber(is.whole_timestamp) or last
local leave, older, next_pace = time, nil, nil
if not is_late and pace > 0 then
    if whole then older = newest_queued(wholes) else older = newest_same(covered) end
    local ahead = not whole and used and newest_queued(wholes)
    leave, next_pace = departure(is.pace, older, ahead, whole, time, pace)
end
local timestamp
if is_late then
    -- Nothing leaves with it.
    timestamp = last
elseif whole or pace == 0 then
    timestamp = timestamp_for_all(activity, last, used, older, time, leave)
    last = timestamp
else
    timestamp = timestamp_for_list(activity, last, whole_last, older, time, leave, listed)
    note_timestamp(activity, time, timestamp, listed)
    last = math.max(last, timestamp)
end
-- Timestamps keep growing after the clock was set back, and nothing waits for it to catch up.
local earliest = (timestamp - 2 - clock_step(used, time)) * 1000
if not is_late and pace >= 1000 then leave = math.max(leave, math.min(earliest, time + LIMIT.longest_wait)) end
if used and not is_late and (leave <= time or leave < earliest) then used = math.max(used, timestamp) end
note_older_timestamps(activity, is, whole and not is_late and last or whole_last, used, last)

-- Its jobs.
local channels = whole and is.channels or ''
local after_start = channels ~= '' and not is_alone and has_open_start(activity, open_broadcasts)
local devices = tonumber(whole and is.devices or addressed) or 0
if channels ~= '' then
    devices = math.max(0, devices - slots_with_channel(slots, channels)) + pushes_to(channels, after_start)
end
local to_channels, jobs = jobs_of(whole and slots or '', tonumber(is.turn) or -1, channels, list_parts, after_start)
local is_held = hold ~= '' and whole and is_alone and not is_late and leave <= time
    and #to_channels == 0 and #jobs == 1 and devices <= LIMIT.small_broadcast
local priority = tonumber(urgency) or 10
if not tonumber(urgency) and not is.frequent then
    priority = priority_of_update(time, is.hour, is.hour_urgent, tonumber(string.sub(urgency, 2)))
end

-- The changes beyond the record.
local order, payload = next_order(is), complete_payload(payload_before, payload_after, timestamp)
local superseded, lists = {}, {}
local changes = { 'state', ACTIVITY.started, 'timestamp', string.format('%.0f', last) }
if next_pace then changes[5], changes[6] = 'pace', next_pace end
if is_held then updates = count_update(changes, time, is.hour, is.hour_updates, is.hour_urgent, priority == 10) end
if not is_late then
    note_driver(activity, is, draft.schedule.id, draft.schedule.name, kept_until)
    note_arrival(changes, activity, is.arrived, noted_as, time, whole, listed)
    note_shown(changes, activity, digest, is.shown, whole, order)
    if whole then
        keep_for_catch_up(activity, is, id, order, true)
        if is.heal then
            keep_for_healing(activity, due, activity_id, 'update', payload, id, now, kept_until)
        end
        if not is_alone then superseded = supersede(activity, open_broadcasts, wholes, leave, time) end
    else
        superseded, lists = supersede_covered(activity, covered, older, leave, time)
    end
    local entries = covered and covered.entries
    if not is_held then
        join_turns(activity, order, 'update', whole, listed, kept_until, entries,
            entries and remaining_entries(covered))
    end
end

-- Its record.
local record = {
    'jobs', #to_channels + #jobs, 'updates', updates, 'priority', priority, 'devices', devices,
    unpack(ARGV, fields_at)
}
local function add(name, value) record[#record + 1], record[#record + 2] = name, value end
if is_late then add('superseded', '1') end
if leave > time then add('not_before', string.format('%.0f', leave)) end
if channels ~= '' then add('channels', channels) end
if after_start then add('after_start', '1') end
if is_held then
    add('started_at', now)
    -- A gateway that takes the job over finds that pushes may have been sent.
    add('held', '1')
end
write_record(draft, broadcast, order, timestamp, payload, record, is_held)
if is_held then
    add_open(draft, order, open_broadcasts)
    put_held(held, activity_id .. ':' .. id, hold, kept_until, jobs[1], is.tenant)
else
    add_unfinished(draft, order, is.tenant, open_broadcasts, unfinished, owners, counts)
    add_jobs(small_jobs, to_channels, id, activity_id)
    add_jobs(devices <= LIMIT.small_broadcast and small_jobs or update_jobs, jobs, id, activity_id)
end

fulfil_schedule(draft, due)
if topic then note_topic(topic, activity_id, draft.topic.version, false, false) end
change_activity(draft, order, topic, is.recent, changes, is_held)
return { 1, timestamp, order, slots, updates, table.concat(superseded, ','), table.concat(lists, ','),
    math.floor(leave), channels, after_start and 1 or 0, priority, is_held and 1 or 0 }
