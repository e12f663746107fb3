-- begin-broadcast (writes)
--
-- The one atomic step of a start, update or end: the change of state, the durable record of the broadcast and its jobs.
-- A start also takes the lock, a `SET NX` that exactly one of any number of callers wins. The script marks the older
-- broadcasts that this one supersedes. The activity's item in the due queue follows its state. A broadcast of a due
-- item is recorded only if the item is still there. The script removes the item, so the broadcast is recorded once,
-- however many gateways have read the item.
--
-- A start for devices that the activity's start has left out takes no start lock. It comes with the lock on restarts,
-- which is given back in this step. A start for followers who join a live topic takes no start lock either: with it
-- their slots become the segment's. A topic's broadcast is recorded only for the gateway that drives the topic.
--
-- An update that waited while newer content for its devices was recorded is late. It is recorded as superseded. If the
-- newer content was for some of its devices, the update is not recorded, and the caller asks again for the others.
--
-- KEYS
--   activity
--   start_lock
--   broadcast
--   roster_lock
--   open_broadcasts
--   unfinished
--   small_jobs: stream of the lane
--   first_jobs: stream of the lane
--   update_jobs: stream of the lane
--   due: queue
--   restart_lock
--   owners: of the unfinished broadcasts
--   counts: of these, by owner
--   leaving: users who are no longer counted and not removed yet
--   direct: broadcasts of the shard, by activity
--   topic?: topic of the activity
-- ARGV
--   kind
--   expected_state
--   next_state
--   id
--   packed_id: the same in 16 bytes
--   activity_id
--   now: epoch ms
--   payload_before: the payload up to its timestamp, or sealed
--   payload_after: the payload after its timestamp, '' if it is sealed
--   kept_until: expiry of lock and record, epoch ms
--   extent: 'whole' or 'slots'
--   addressed: number of slots, 0 with 'whole'
--   prefix: key prefix of the activity's broadcasts
--   item: the activity's in the due queue
--   next_due: time at which the item is due, epoch ms, '' if unchanged
--   end_reason
--   schedule: schedule behind the broadcast, '' for none
--   schedule_name
--   schedule_version
--   restart_token: token of the lock on restarts, '' for other broadcasts
--   interval: between updates in ms, 0 for none; an activity may have its own
--   packed: slots of a short target list in four bytes each, else ''
--   list_parts: the jobs of a target list, separated by commas
--   new_channels: channels of the activity from its start on, '' for none
--   driver: token of the gateway that drives the topic, '' without a topic
--   topic_version: version of new content of the topic, '' for none
--   joined: number of users whose prepared slots join the segment with this start, '' for other broadcasts
--   topic_life: life of the topic for which an activity is started, '' for other broadcasts
--   digest: of the content that the payload shows, '' for an end
--   skips_unchanged: '1' to skip an update that shows nothing new
--   arrived: the latest epoch ms at which a gateway can have received the request, '' without new content
--   noted_as: the arrival to compare others with, an epoch ms that has passed, '' without new content
--   given_priority: '' for the priority by the activity's budget
--   budget: that budget in updates an hour, 0 for no limit
--   most_open: number of unfinished broadcasts at which a target list is refused; 0 for no limit
--   fields...(2): and values of the record
-- Reply: one of
--   recorded = 1 {timestamp: int, order: int, slots: bytes, updates: int, superseded: text, lists: text, leave: int,
--     channels: text, follows: text, after_start: flag, priority: int}: the new broadcast
--     slots: of the segment
--     updates: in this hour before it
--     superseded: ids of the broadcasts that it supersedes now
--     lists: ids of older updates to target lists
--     leave: epoch ms from which it may leave
--     channels: to which it is sent
--     follows: channels that its devices follow from a start on
--     after_start: 1 if it is sent to channels once more after the starts that are under way
--   done_before = 2
--   not_due = 3: the schedule is no longer due
--   unchanged = 4 {updates: int}: the update shows nothing new after the updates of this hour
--   crowded = 5: a target list is refused because of most_open
--   late = 6 {slots: bytes, others: int}: packed slots without newer content, and the number of other slots
--   refused = 0 {reason: text}: the activity's state if it is not the expected one or the lock is taken
--     driver, life, placing: of the topic, if it is another one
--     changing: the segment is being changed, or the lock is lost
--     leaving: a change was broken off and is to be finished
-- Includes: schedules, pacing, timestamps, catch-up, healing, turns, superseding, restart-marks, partition-jobs
-- Includes: drivers, shown, hours, topics, unfinished, direct-broadcasts, recent, arrivals, rights

require_rights(broadcast .. ':rights', kept_until)
-- One that is being sent at once counts like any other from here on.
show_of(direct, activity, activity_id, unfinished, owners, counts)
if redis.call('EXISTS', broadcast) == 1 then return { 2 } end
if find_ended(activity, id, packed_id) then return { 2 } end

local state, last, slots, hour, hour_updates, devices, noted_whole, turn, heals, noted_used, channels, shown,
    own_pace, hour_urgent, is_frequent, tenant, recent, noted_arrival, newest, indexed, catches_up =
    unpack(redis.call('HMGET', activity,
        'state', 'timestamp', 'slots', 'hour', 'hour_updates', 'devices', 'whole_timestamp', 'turn', 'heal',
        'used_timestamp', 'channels', 'shown', 'min_interval', 'hour_urgent', 'frequent', 'tenant', 'recent',
        'arrived', 'order', 'indexed', 'catch_up'))
local time, whole = tonumber(now), extent == 'whole'
local is_update, is_restart = kind == 'update', restart_token ~= ''
local is_join = joined ~= ''
local is_first_start, is_end = kind == 'start' and not is_restart and not is_join, next_state == ACTIVITY.dead

-- The conditions of the begin.
if schedule ~= '' and not is_waiting(activity, due, activity_id, schedule, schedule_version) then return { 3 } end
if state ~= expected_state then return { 0, state or '' } end
if topic and redis.call('HGET', topic, 'driver') ~= driver then return { 0, 'driver' } end
if topic_life ~= '' then
    local is = redis.call('HMGET', topic, 'life', 'state')
    if is[1] ~= topic_life or is[2] ~= 'live' then return { 0, 'life' } end
end
if is_join and redis.call('HEXISTS', topic, 'placing') == 0 then return { 0, 'placing' } end
if is_update and whole and skips_unchanged == '1' and is_unchanged(digest, shown) then
    -- Devices already show the content of this update, so an older update is late.
    note_arrival(activity, noted_arrival, noted_as, time, whole, packed)
    return { 4, updates_of_hour(time, hour, hour_updates) }
end
if most_open ~= '0' and not whole and redis.call('HLEN', open_broadcasts) >= tonumber(most_open) then return { 5 } end
local is_late = is_update and came_later(tonumber(noted_arrival), tonumber(arrived), time)
if is_update and not is_late and may_be_overtaken(activity, tonumber(arrived), time) then
    local listed = whole and slots_of_scope('\1' .. (slots or '')) or slots_in(packed)
    if #listed > 0 then
        local left, others = slots_left(activity, listed, tonumber(arrived), time)
        is_late = left == ''
        -- A list cannot take the place of an update that goes to channels, or that is kept for other devices.
        local can_be_list = not whole or not (topic or channels or heals or catches_up)
        if others > 0 and not is_late and can_be_list then return { 6, left, others } end
    end
end
local paces = is_update and not is_late
if is_restart then
    if redis.call('GET', restart_lock) ~= restart_token then return { 0, 'changing' } end
    redis.call('DEL', restart_lock)
elseif is_first_start then
    if redis.call('EXISTS', roster_lock) == 1 then return { 0, 'changing' } end
    if redis.call('EXISTS', leaving) == 1 then return { 0, 'leaving' } end
    if not redis.call('SET', start_lock, id, 'NX') then return { 0, ACTIVITY.started } end
end

if is_join then slots = confirm_placed(topic, activity, joined) end
if topic then note_topic(topic, activity_id, topic_version, is_first_start, is_end) end

-- The time at which it leaves, and its timestamp.
local function scope_of_record()
    for at = fields_at, #ARGV, 2 do
        if ARGV[at] == 'scope' then return ARGV[at + 1] end
    end
end

local pace = tonumber(own_pace or interval)
complete_turns(activity, open_broadcasts, newest, indexed, time)
local scope = not whole and scope_of_record() or nil
local listed = slots_of_scope(scope)
local wholes, covered = {}, nil
if kind ~= 'start' and (whole or paces and pace > 0) then wholes = find_wholes(activity, open_broadcasts, time) end
if kind ~= 'start' and not whole and not is_late then
    covered = listed and find_covered(activity, open_broadcasts, listed, time)
        or find_coverable(activity, open_broadcasts, scope, time)
end
last = tonumber(last) or 0
local used = pace >= 1000 and used_timestamp(tonumber(noted_used), last, time)
local whole_last = tonumber(noted_whole) or last
local leave, older = time, nil
if paces and pace > 0 then
    if whole then older = newest_queued(wholes) else older = newest_same(covered) end
    local ahead = not whole and used and newest_queued(wholes)
    leave = departure(activity, older, ahead, whole, time, pace)
end
local timestamp
if is_late then
    -- Nothing leaves with it.
    timestamp = last
elseif is_join then
    timestamp = timestamp_for_joining(last, used, time)
    note_timestamp(activity, time, timestamp, packed)
    last = math.max(last, timestamp)
elseif whole or pace == 0 then
    timestamp = timestamp_for_all(activity, last, used, older, time, leave)
    last = timestamp
else
    timestamp = timestamp_for_list(activity, last, whole_last, older, time, leave, packed)
    -- A Live Activity that is ended gets nothing after that but another start: no update need be newer than its end.
    if kind ~= 'end' then
        note_timestamp(activity, time, timestamp, packed)
        last = math.max(last, timestamp)
    end
end
if kind == 'end' and not whole then note_timestamp(activity, time, timestamp, packed, true) end
-- Timestamps keep growing after the clock was set back, and nothing waits for it to catch up.
local earliest = (timestamp - 2 - clock_step(used, time)) * 1000
if paces and pace >= 1000 then
    leave = math.max(leave, math.min(earliest, time + LIMIT.longest_wait))
end
if used and not is_late and (whole or kind ~= 'end') and (leave <= time or leave < earliest) then
    used = math.max(used, timestamp)
end
local spelled = string.format('%.0f', timestamp)

-- The activity, and its item in the due queue.
note_older_timestamp(activity, 'whole_timestamp', noted_whole, whole and not is_late and last or whole_last, last)
if used then note_older_timestamp(activity, 'used_timestamp', noted_used, used, last) end
local updates = is_update and updates_of_hour(time, hour, hour_updates) or 0
local priority = tonumber(given_priority) or 10
if given_priority == '' and is_update and not is_frequent then
    priority = priority_of_update(time, hour, hour_urgent, tonumber(budget))
end
local order = redis.call('HINCRBY', activity, 'order', 1)
redis.call('HSET', activity, 'state', next_state, 'timestamp', string.format('%.0f', last))
if is_first_start then
    redis.call('HSET', activity, 'started_at', now, 'start', extent)
    if new_channels ~= '' then redis.call('HSET', activity, 'channels', new_channels) end
    redis.call('PEXPIREAT', start_lock, kept_until)
end
if is_end then
    redis.call('HSET', activity, 'ended_at', now, 'end_broadcast', id, 'end_reason', end_reason)
    -- Fields that only another update would need.
    redis.call('HDEL', activity, 'pace', 'whole_timestamp', 'used_timestamp', 'hour_urgent', 'shown', 'shown_order')
    redis.call('ZREM', due, item)
elseif next_due ~= '' then
    redis.call('ZADD', due, next_due, item)
end
if not is_late then note_driver(activity, schedule, schedule_name, kept_until) end
if schedule ~= '' then end_schedule(activity, due, activity_id, schedule, now, SCHEDULE.done, 'broadcast', id) end

-- The effects of the content beyond this broadcast.
if kind ~= 'end' and arrived ~= '' and not is_late then
    note_arrival(activity, noted_arrival, noted_as, time, whole, packed)
end
if kind ~= 'end' and not is_late then note_shown(activity, digest, shown, whole or is_first_start, order) end
local payload = payload_after == '' and payload_before or payload_before .. spelled .. payload_after
if is_end or paces and whole then keep_for_catch_up(activity, prefix, id, order, is_update) end
local healed = is_first_start and 'start' or paces and whole and 'update'
if heals and (healed or is_end) then
    keep_for_healing(activity, due, activity_id, healed, payload, id, now, kept_until)
end

-- Older broadcasts, and this one among them.
local superseded, lists = {}, {}
if covered then
    superseded, lists = supersede_covered(activity, covered, older, leave, time)
elseif whole and kind ~= 'start' and not is_late then
    superseded = supersede(activity, open_broadcasts, kind, wholes, leave, time)
end
redis.call('HSET', open_broadcasts, order, id .. ':' .. kind .. ':' .. extent)
if is_restart then remember_restart(activity, order, scope) end
redis.call('PEXPIREAT', open_broadcasts, kept_until)
if not is_late then
    local entries = covered and covered.entries
    join_turns(activity, order, kind, whole, listed, kept_until, entries, entries and remaining_entries(covered))
end
redis.call('HSET', activity, 'indexed', order)
redis.call('ZADD', unfinished, kept_until, activity_id .. ':' .. id)
count_for(owners, counts, activity_id .. ':' .. id, tenant or '')

-- Its jobs and its record.
devices = tonumber(whole and devices or addressed) or 0
local follows = is_first_start and new_channels or kind == 'start' and channels or ''
if kind == 'start' or not whole then channels = nil end
local after_start = channels and is_update and has_open_start(activity, open_broadcasts)
if channels then
    devices = math.max(0, devices - slots_with_channel(slots or '', channels)) + pushes_to(channels, after_start)
end
local stream = devices <= LIMIT.small_broadcast and small_jobs or is_update and update_jobs or first_jobs
local first_behind = is_update and tonumber(turn) or -1
local jobs = add_jobs(stream, small_jobs, id, activity_id, whole and slots or '', first_behind, channels or '',
    list_parts, after_start)
redis.call('HSET', broadcast, 'kind', kind, 'state', BROADCAST.queued, 'created_at', now, 'order', order,
    'timestamp', spelled, 'payload', payload, 'jobs', jobs, 'updates', updates, 'priority', priority,
    unpack(ARGV, fields_at))
if is_late then redis.call('HSET', broadcast, 'superseded', '1') end
if leave > time then redis.call('HSET', broadcast, 'not_before', string.format('%.0f', leave)) end
redis.call('PEXPIREAT', broadcast, kept_until)
redis.call('HSET', broadcast, 'devices', devices)
if channels then redis.call('HSET', broadcast, 'channels', channels) end
if after_start then redis.call('HSET', broadcast, 'after_start', '1') end
if follows ~= '' then redis.call('HSET', broadcast, 'follows', follows) end
-- The many that go to single followers of a topic are kept beside those that go to all.
if topic and not whole then
    list_recent(activity .. ':recent_followers', id, kept_until)
else
    recent = recent_with(recent, activity, id, packed_id, kept_until)
    if recent then redis.call('HSET', activity, 'recent', recent) end
end
return { 1, timestamp, order, slots or '', updates, table.concat(superseded, ','), table.concat(lists, ','),
    math.floor(leave), channels or '', follows, after_start and 1 or 0, priority }
