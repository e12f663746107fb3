-- begin-start (writes)
--
-- Begins a start: see `beginning`. The start of the activity takes the lock, a `SET NX` that exactly one of any number
-- of callers wins. The activity's item in the due queue follows its state.
--
-- A start for devices that the activity's start has left out comes with the lock on restarts, which is given back in
-- this step. A start for followers who join a live topic takes no lock: with it their slots become the segment's.
--
-- KEYS
--   activity
--   broadcast
--   lock: of the start or of restarts
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
--   kept_until: expiry of lock and record, epoch ms
--   payload_before: the payload up to its timestamp, or sealed
--   payload_after: the payload after its timestamp, '' if it is sealed
--   addressed: number of slots of a target list, '' for the whole segment
--   scope: slots of a target list (`SlotList`), else ''
--   list_parts: the jobs of a target list, separated by commas
--   schedule: version, id and name, separated by colons; '' for none
--   next_due: time at which the activity is due, epoch ms, '' if unchanged
--   restart: token of the lock on restarts, '' for other starts
--   interval: between updates in ms, 0 for none; an activity may have its own
--   channels: of the activity from its start on, '' for none
--   topic_part: see `beginning`; '' without a topic
--   digest: of the content that the payload shows
--   noted_as: epoch ms at which the content arrived, '' for content that has arrived before
--   fields...(2): and values of the record
-- Reply: one of
--   recorded = 1 {timestamp: int, order: int, slots: bytes, follows: text}: the new broadcast
--     slots: of the segment
--     follows: channels that its devices follow from now on
--   done_before = 2
--   not_due = 3: the schedule is no longer due
--   refused = 0 {reason: text}: the activity's state if it is not the expected one or the lock is taken
--     driver, life, placing: of the topic, if it is another one
--     changing: the segment is being changed, or the lock is lost
--     leaving: a change was broken off and is to be finished
-- Includes: beginning, healing, restart-marks, shown, topics, arrivals, rights

require_rights(broadcast .. ':rights', kept_until)
if is_recorded(activity, broadcast, id, packed_id) then return { 2 } end

local time, whole = tonumber(now), addressed == ''
local draft = {
    kind = 'start', activity = activity, activity_id = activity_id, id = id, packed_id = packed_id, now = now,
    kept_until = kept_until, expected_state = expected_state, whole = whole, scope = scope,
    schedule = parts_of_schedule(schedule), topic = parts_of_topic(topic_part),
}
local is_restart, is_join, life = restart ~= '', draft.topic.joined ~= '', draft.topic.life
local is_first = not is_restart and not is_join
local is = read_fields(activity, {
    'state', 'timestamp', 'slots', 'devices', 'whole_timestamp', 'heal', 'used_timestamp', 'channels', 'shown',
    'min_interval', 'tenant', 'recent', 'arrived', 'order', 'indexed', 'settled', 'schedule', 'driven',
})

-- The conditions.
local refusal = refusal_of(draft, due, is.state, topic)
if refusal then return refusal end
if life ~= '' then
    local its = redis.call('HMGET', topic, 'life', 'state')
    if its[1] ~= life or its[2] ~= 'live' then return { 0, 'life' } end
end
if is_join and redis.call('HEXISTS', topic, 'placing') == 0 then return { 0, 'placing' } end
if is_restart then
    if redis.call('GET', lock) ~= restart then return { 0, 'changing' } end
elseif is_first then
    if redis.call('EXISTS', activity .. ':roster') == 1 then return { 0, 'changing' } end
    if redis.call('EXISTS', activity .. ':leaving') == 1 then return { 0, 'leaving' } end
    if not redis.call('SET', lock, id, 'NX', 'PXAT', kept_until) then return { 0, ACTIVITY.started } end
end

-- Its timestamp.
if is_join then is.slots = confirm_placed(topic, activity, draft.topic.joined) end
if not is_settled(is) then complete_turns(activity, open_broadcasts, is.order, is.indexed, time) end
local listed = not whole and slots_of_scope(scope) or nil
local pace, last = tonumber(is.min_interval or interval), tonumber(is.timestamp) or 0
local used = pace >= 1000 and used_timestamp(tonumber(is.used_timestamp), last, time)
local whole_last, is_for_all = tonumber(is.whole_timestamp) or last, not is_join and (whole or pace == 0)
local timestamp
if is_join then
    timestamp = timestamp_for_joining(last, used, time)
elseif is_for_all then
    timestamp = timestamp_for_all(activity, last, used, nil, time, time)
else
    timestamp = timestamp_for_list(activity, last, whole_last, nil, time, time, listed)
end
if is_for_all then
    last = timestamp
else
    note_timestamp(activity, time, timestamp, listed)
    last = math.max(last, timestamp)
end
note_older_timestamps(activity, is, whole and last or whole_last, used and math.max(used, timestamp), last)

-- The changes beyond the record.
local order, payload = next_order(is), complete_payload(payload_before, payload_after, timestamp)
local changes = { 'state', ACTIVITY.started, 'timestamp', string.format('%.0f', last) }
note_driver(activity, is, draft.schedule.id, draft.schedule.name, kept_until)
if noted_as ~= '' then note_arrival(changes, activity, is.arrived, noted_as, time, whole, listed) end
note_shown(changes, activity, digest, is.shown, whole or is_first, order)
if is.heal and is_first then
    keep_for_healing(activity, due, activity_id, 'start', payload, id, now, kept_until)
end
if is_restart then remember_restart(activity, order, scope) end
join_turns(activity, order, 'start', whole, listed, kept_until)
add_unfinished(draft, order, is.tenant, open_broadcasts, unfinished, owners, counts)

-- Its record and its jobs.
local devices = tonumber(whole and is.devices or addressed) or 0
local follows = is_first and channels or is.channels or ''
local _, jobs = jobs_of(whole and is.slots or '', -1, '', list_parts)
local record = { 'jobs', #jobs, 'updates', 0, 'devices', devices, unpack(ARGV, fields_at) }
if follows ~= '' then record[#record + 1], record[#record + 2] = 'follows', follows end
write_record(draft, broadcast, order, timestamp, payload, record)
add_jobs(devices <= LIMIT.small_broadcast and small_jobs or first_jobs, jobs, id, activity_id)

if is_first then
    local started = { 'started_at', now, 'start', whole and 'whole' or 'slots' }
    if channels ~= '' then started[5], started[6] = 'channels', channels end
    for _, each in ipairs(started) do changes[#changes + 1] = each end
end
fulfil_schedule(draft, due)
if next_due ~= '' then redis.call('ZADD', due, next_due, 'a:' .. activity_id) end
if topic then note_topic(topic, activity_id, draft.topic.version, is_first, false) end
if is_restart then redis.call('DEL', lock) end
change_activity(draft, order, topic, is.recent, changes)
return { 1, timestamp, order, is.slots or '', follows }
