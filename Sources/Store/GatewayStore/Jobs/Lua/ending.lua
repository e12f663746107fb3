-- ending (part)
--
-- Ends a broadcast in its activity and its record.
-- Includes: ended-broadcasts, turns

-- Replaces the record with its short form, unless the content is still needed. If `kept` is 'all', the content is
-- needed. If it is 'none', the record goes, and otherwise it is 'short'. ARGV has the fields and values of the end.
-- Those in `changes` become the activity's.
local function write_end(broadcast, activity, kept, is, activity_is, changes, fields_at)
    if kept == 'short' and not is.late and is.kind then
        for index = fields_at, #ARGV, 2 do is[ARGV[index]] = ARGV[index + 1] end
        keep_ended(broadcast, is, activity_is, changes)
        redis.call('UNLINK', broadcast)
        return
    end
    if #changes > 0 then redis.call('HSET', activity, unpack(changes)) end
    if kept == 'none' then return redis.call('UNLINK', broadcast) end
    if not is.kind then return end
    local gone = { 'jobs_done', 'superseded', 'not_before', 'stop', 'paused', 'paused_at', 'held' }
    for _, field in ipairs(redis.call('HKEYS', broadcast)) do
        if string.match(field, '^d[0-9*=+]+$') or string.match(field, '^stop:') or string.match(field, '^met:') then
            gone[#gone + 1] = field
        end
        if #gone >= 1000 then
            redis.call('HDEL', broadcast, unpack(gone))
            gone = { 'stop' }
        end
    end
    -- The record of a held job expires only from now on.
    local left = redis.call('PTTL', broadcast) == -1 and redis.call('PTTL', activity) or -1
    if left > 0 then redis.call('PEXPIRE', broadcast, left) end
    redis.call('HSET', broadcast, unpack(ARGV, fields_at))
    redis.call('HDEL', broadcast, unpack(gone))
end

-- The record comes last, because a repetition does nothing once it has ended. HDEL was allowed before. The activity's
-- field `settled` is the number of its newest broadcast if none is open. The next broadcast that finds this number has
-- no other to wait for.
local function end_broadcast(broadcast, open_broadcasts, activity, order, id, kept, has_failed, fields_at)
    local names = fields_for_ended(activity, id) or {}
    local activity_is = redis.call('HMGET', activity, 'order', 'settled', 'indexed', 'shown_order', 'newest_update',
        unpack(names))
    local newest, settled, indexed, shown_order, newest_update = unpack(activity_is, 1, 5)
    local is, changes = read_record(broadcast), {}
    -- An index without the newest broadcast is rebuilt before it is read.
    local is_indexed = newest == indexed
    if is_indexed then leave_turns(activity, order, slots_of_scope(is.scope)) end
    -- Its content may have come to no device, so an update with the same content is sent.
    if has_failed and shown_order == order then redis.call('HDEL', activity, 'shown', 'shown_order') end
    redis.call('HDEL', open_broadcasts, order)
    local was_alone = newest == order and settled and tonumber(settled) == tonumber(order) - 1
    if was_alone or redis.call('EXISTS', open_broadcasts) == 0 then
        if is_indexed then redis.call('DEL', activity .. ':turns', activity .. ':turns:slots') end
        if newest then changes = { 'settled', newest } end
    end
    if kept == 'short' and newest_update == id then kept = 'all' end
    write_end(broadcast, activity, kept, is, names[1] and { unpack(activity_is, 6, 8) }, changes, fields_at)
end
