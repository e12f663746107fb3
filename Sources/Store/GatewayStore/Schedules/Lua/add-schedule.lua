-- add-schedule (writes)
--
-- Adds a schedule to an activity.
--
-- KEYS
--   activity
--   schedule
--   waiting: schedules of customers, or of users
--   due: queue
--   own?: waiting schedules of its user
-- ARGV
--   most: the limit of waiting schedules, of its user if it has one
--   id
--   item: of the due queue
--   due_at: epoch ms
--   expires_at: of its record, epoch ms
--   fields...(2): and values
-- Reply: one of
--   added = 1
--   known = 3: the schedule exists already
--   full = 2: the limit of waiting schedules is reached
--   ended = 0: the activity is over

local state = redis.call('HGET', activity, 'state')
if state ~= ACTIVITY.registered and state ~= ACTIVITY.started then return 0 end
-- The caller may repeat the call if it lost the reply.
if redis.call('EXISTS', schedule) == 1 then return 3 end
if redis.call('ZCARD', own or waiting) >= tonumber(most) then return 2 end
redis.call('ZADD', waiting, due_at, id)
redis.call('PEXPIREAT', waiting, expires_at)
if own then
    redis.call('ZADD', own, due_at, id)
    redis.call('PEXPIREAT', own, expires_at)
end
redis.call('ZADD', due, due_at, item)
-- The schedule comes last, because a repetition does nothing once it is there.
redis.call('HSET', schedule, unpack(ARGV, fields_at))
redis.call('PEXPIREAT', schedule, expires_at)
return 1
