-- ending (part)
--
-- Removes an ended broadcast from the lists of unfinished ones.
-- Includes: unfinished, ended-broadcasts, turns

-- Its content may have come to no device, so an update with the same content is sent.
local function forget_shown(activity, order)
    if redis.call('HGET', activity, 'shown_order') ~= order then return end
    redis.call('HDEL', activity, 'shown', 'shown_order')
end

-- Records the number of an activity's newest broadcast if none is open. The next broadcast that finds this number has
-- no other to wait for.
local function settle(activity, open_broadcasts)
    if redis.call('EXISTS', open_broadcasts) == 1 then return end
    redis.call('DEL', activity .. ':turns', activity .. ':turns:slots')
    local newest = redis.call('HGET', activity, 'order')
    if newest then redis.call('HSET', activity, 'settled', newest) end
end

-- Writes the end of a broadcast, which is in the last fields and values of ARGV. The end replaces the record, unless
-- the content is still needed.
local function write_end(broadcast, activity, id, is_kept, fields_at)
    local is = {}
    for index = fields_at, #ARGV, 2 do is[ARGV[index]] = ARGV[index + 1] end
    if not is_kept and redis.call('HGET', activity, 'newest_update') ~= id
        and redis.call('HEXISTS', broadcast, 'late') == 0
    then
        fold_record(broadcast, is)
        return
    end
    local gone = { 'jobs_done', 'superseded', 'not_before', 'stop', 'paused', 'paused_at' }
    for _, field in ipairs(redis.call('HKEYS', broadcast)) do
        if string.match(field, '^d[0-9*=+]+$') or string.match(field, '^stop:') or string.match(field, '^met:') then
            gone[#gone + 1] = field
        end
        if #gone >= 1000 then
            redis.call('HDEL', broadcast, unpack(gone))
            gone = { 'stop' }
        end
    end
    redis.call('HSET', broadcast, unpack(ARGV, fields_at))
    redis.call('HDEL', broadcast, unpack(gone))
end

-- The record comes last, because a repetition does nothing once it has ended. HDEL was allowed before.
local function end_broadcast(broadcast, open_broadcasts, unfinished, activity, owners, counts, order, id, member,
    is_kept, has_failed, fields_at)
    leave_turns(activity, order, slots_of_scope(redis.call('HGET', broadcast, 'scope')))
    if has_failed then forget_shown(activity, order) end
    redis.call('HDEL', open_broadcasts, order)
    settle(activity, open_broadcasts)
    take_off(owners, counts, member)
    redis.call('ZREM', unfinished, member)
    write_end(broadcast, activity, id, is_kept, fields_at)
end
