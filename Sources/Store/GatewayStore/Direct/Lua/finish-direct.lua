-- finish-direct (writes)
--
-- Writes how an update ended that its gateway has sent at once. When it has been shown meanwhile, it ends like any
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
--   has_failed: '1' when it was stopped
--   fields...(2): and values of the record as it has ended, whole
-- Reply: 1; 0 when it is no longer the hold's
-- Includes: direct-broadcasts, ending

local value = redis.call('HGET', direct, activity_id)
local _, holder, held, mark = nil, nil, nil, nil
if value then _, holder, held, mark = parts_of(value) end
if holder ~= hold or held ~= id then
    -- The call is repeated when its answer was lost.
    local state = redis.call('HGET', broadcast, 'state')
    if state then return state ~= BROADCAST.queued and state ~= BROADCAST.running and 1 or 0 end
    return redis.call('HEXISTS', place_of_ended(broadcast))
end
redis.call('HDEL', direct, activity_id)
if mark == '+' then
    end_broadcast(broadcast, open_broadcasts, unfinished, activity, owners, counts, order, id, member, false,
        has_failed == '1', fields_at)
else
    local is = {}
    for index = fields_at, #ARGV, 2 do is[ARGV[index]] = ARGV[index + 1] end
    keep_ended(activity, broadcast, is)
    if has_failed == '1' then forget_shown(activity, order) end
end
return 1
