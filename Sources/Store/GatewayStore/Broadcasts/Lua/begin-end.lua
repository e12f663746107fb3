-- begin-end (writes)
--
-- Begins an end: see `beginning`. An end of the whole segment ends the activity, whose item leaves the due queue, and
-- supersedes all older broadcasts. An end of a target list supersedes updates.
--
-- KEYS
--   activity
--   broadcast
--   open_broadcasts
--   unfinished
--   owners: of the unfinished broadcasts
--   counts: of these, by owner
--   small_jobs: stream of the lane
--   first_jobs: stream of the lane
--   due: queue
--   topic?: topic of the activity
-- ARGV
--   id
--   packed_id: the same in 16 bytes
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
--   reason: of the activity's end
--   fields...(2): and values of the record
-- Reply: one of
--   recorded = 1 {timestamp: int, order: int, slots: bytes, superseded: text, lists: text, channels: text}: the new
--     broadcast
--     slots: of the segment
--     superseded: ids of the broadcasts that it supersedes
--     lists: ids of older updates to target lists
--     channels: to which it is sent
--   done_before = 2
--   not_due = 3: the schedule is no longer due
--   crowded = 5: a target list is refused because of most_open
--   refused = 0 {reason: text}: the activity's state if it is not the expected one, or driver if another gateway drives
--     the topic
-- Includes: beginning, superseding, catch-up, healing, topics, rights

require_rights(broadcast .. ':rights', kept_until)
if is_recorded(activity, broadcast, id, packed_id) then return { 2 } end

local time, whole = tonumber(now), addressed == ''
local draft = {
    kind = 'end', activity = activity, activity_id = activity_id, id = id, packed_id = packed_id, now = now,
    kept_until = kept_until, expected_state = expected_state, whole = whole, scope = scope,
    schedule = parts_of_schedule(schedule), topic = parts_of_topic(topic_part),
}
local is = read_fields(activity, {
    'state', 'timestamp', 'slots', 'devices', 'whole_timestamp', 'heal', 'used_timestamp', 'channels', 'min_interval',
    'tenant', 'recent', 'order', 'indexed', 'settled', 'schedule', 'driven', 'catch_up', 'newest_update',
})
local slots = is.slots or ''

-- The conditions.
local refusal = refusal_of(draft, due, is.state, topic)
if refusal then return refusal end
if most_open ~= '0' and not whole and redis.call('HLEN', open_broadcasts) >= tonumber(most_open) then return { 5 } end

-- Its timestamp.
if not is_settled(is) then complete_turns(activity, open_broadcasts, is.order, is.indexed, time) end
local listed = not whole and slots_of_scope(scope) or nil
local covered
if not whole then
    covered = listed and find_covered(activity, open_broadcasts, listed, time)
        or find_coverable(activity, open_broadcasts, scope, time)
end
local pace, last = tonumber(is.min_interval or interval), tonumber(is.timestamp) or 0
local used = pace >= 1000 and used_timestamp(tonumber(is.used_timestamp), last, time)
local whole_last = tonumber(is.whole_timestamp) or last
local timestamp
if whole or pace == 0 then
    timestamp = timestamp_for_all(activity, last, used, nil, time, time)
    last = timestamp
else
    -- A Live Activity that is ended gets nothing after that but another start: no update need be newer than its end.
    timestamp = timestamp_for_list(activity, last, whole_last, nil, time, time, listed)
end
if not whole then note_timestamp(activity, time, timestamp, listed, true) end
if used and whole then used = math.max(used, timestamp) end
note_older_timestamps(activity, is, whole and last or whole_last, used, last)

-- The changes beyond the record.
local order, payload = next_order(is), complete_payload(payload_before, payload_after, timestamp)
local superseded, entries, remaining
local lists = {}
note_driver(activity, is, draft.schedule.id, draft.schedule.name, kept_until)
if whole then
    keep_for_catch_up(activity, is, id, order, false)
    if is.heal then keep_for_healing(activity, due, activity_id, false) end
    superseded = supersede_all(activity, open_broadcasts)
else
    superseded, lists = supersede_covered(activity, covered, nil, time, time)
    entries = covered.entries
    remaining = entries and remaining_entries(covered)
end
join_turns(activity, order, 'end', whole, listed, kept_until, entries, remaining)
add_unfinished(draft, order, is.tenant, open_broadcasts, unfinished, owners, counts)

-- Its record and its jobs.
local channels = whole and is.channels or ''
local devices = tonumber(whole and is.devices or addressed) or 0
if channels ~= '' then devices = math.max(0, devices - slots_with_channel(slots, channels)) + pushes_to(channels) end
local to_channels, jobs = jobs_of(whole and slots or '', -1, channels, list_parts)
local record = { 'jobs', #to_channels + #jobs, 'updates', 0, 'devices', devices, unpack(ARGV, fields_at) }
if channels ~= '' then record[#record + 1], record[#record + 2] = 'channels', channels end
write_record(draft, broadcast, order, timestamp, payload, record)
add_jobs(small_jobs, to_channels, id, activity_id)
add_jobs(devices <= LIMIT.small_broadcast and small_jobs or first_jobs, jobs, id, activity_id)

local changes = { 'state', whole and ACTIVITY.dead or ACTIVITY.started, 'timestamp', string.format('%.0f', last) }
if whole then
    for _, each in ipairs({ 'ended_at', now, 'end_broadcast', id, 'end_reason', reason }) do
        changes[#changes + 1] = each
    end
    -- Fields that only another update would need.
    redis.call('HDEL', activity, 'pace', 'whole_timestamp', 'used_timestamp', 'hour_urgent', 'shown', 'shown_order')
    redis.call('ZREM', due, 'a:' .. activity_id)
end
fulfil_schedule(draft, due)
if topic then note_topic(topic, activity_id, draft.topic.version, false, whole) end
change_activity(draft, order, topic, is.recent, changes)
return { 1, timestamp, order, slots, table.concat(superseded, ','), table.concat(lists, ','), channels }
