-- finish-direct (writes)
--
-- Writes the end of an update that its gateway has sent at once. An update that has a record by now ends like any
-- other.
--
-- KEYS
--   direct: broadcasts of the shard, by activity
--   broadcast
--   open_broadcasts
--   unfinished: broadcasts
--   activity
--   owners: of the unfinished broadcasts
--   counts: of these, by owner
-- ARGV
--   activity_id
--   id
--   hold
--   order: number
--   member: of the unfinished broadcasts
--   has_failed: '1' if it was stopped, or reached no device
--   packed_id: the id in 16 bytes
--   ended: its short form, as `keep_ended` writes it
--   fields...(2): and values of the record as it has ended; only needed once it has been shown
-- Reply: one of
--   written = 1
--   lost = 0: the update is no longer the hold's
--   needs_fields = 2
-- Call: appended
-- Includes: direct-broadcasts, ending

local value = redis.call('HGET', direct, activity_id)
local _, holder, held, mark = nil, nil, nil, nil
if value then _, holder, held, mark = parts_of(value) end
if holder ~= hold or held ~= id then
    -- The call is repeated when its answer was lost.
    local state = redis.call('HGET', broadcast, 'state')
    if state then return state ~= BROADCAST.queued and state ~= BROADCAST.running and 1 or 0 end
    return find_ended(activity, id, packed_id) and 1 or 0
end
if mark == '+' then
    if #ARGV < fields_at then return 2 end
    end_broadcast(broadcast, open_broadcasts, unfinished, activity, owners, counts, order, id, member, false,
        has_failed == '1', fields_at)
else
    put_ended(activity, id, packed_id, ended)
    if has_failed == '1' then forget_shown(activity, order) end
end
redis.call('HDEL', direct, activity_id)
return 1
