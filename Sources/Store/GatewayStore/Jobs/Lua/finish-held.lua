-- finish-held (writes)
--
-- Writes the end of a broadcast whose only job its gateway has held from the beginning.
--
-- KEYS
--   held: jobs of the shard
--   broadcast
--   open_broadcasts
--   activity
-- ARGV
--   member: of the held jobs
--   hold
--   order: number
--   id
--   packed_id: the same in 16 bytes
--   ending: 'failed' if it was stopped or reached no device, 'none' if it had no device and keeps no record, else ''
--   fields...(2): and values
-- Reply: flag (false if the job is no longer the hold's)
-- Call: appended
-- Includes: held-jobs, ending

local _, holder = parts_of_held(redis.call('HGET', held, member) or '')
if holder ~= hold then
    -- The call is repeated when its answer was lost.
    local state = redis.call('HGET', broadcast, 'state')
    if ending == 'none' and not state then return 1 end
    if state then return state ~= BROADCAST.queued and state ~= BROADCAST.running and 1 or 0 end
    return find_ended(activity, id, packed_id) and 1 or 0
end
-- A repetition must find the record or know its end, so the hold goes last.
require_writes(held, 'HDEL', 'HSET', 'PEXPIRE', 'UNLINK')
end_broadcast(broadcast, open_broadcasts, activity, order, id, ending == 'none' and ending or 'short', ending ~= '',
    fields_at)
redis.call('HDEL', held, member)
return 1
