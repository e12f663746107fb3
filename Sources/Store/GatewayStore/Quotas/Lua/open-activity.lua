-- open-activity (writes)
--
-- Notes an activity that devices have opened among those that are alive, unless there are as many as may be. What has
-- expired goes by itself. Of a user who is not known any more nothing is noted: such a user enters no activity.
--
-- KEYS
--   opened
--   user?: whose they are; left out for a tenant's
-- ARGV
--   activity: its id
--   ends_at: epoch ms
--   now: epoch ms
--   limit: 0 for none
-- Reply: {1, or 0 when there are as many as may be; how many there are}

if user and redis.call('EXISTS', user) == 0 then return { 1, 0 } end
redis.call('ZREMRANGEBYSCORE', opened, '-inf', now)
if redis.call('ZSCORE', opened, activity) then return { 1, redis.call('ZCARD', opened) } end
local count = redis.call('ZCARD', opened)
if limit ~= '0' and count >= tonumber(limit) then return { 0, count } end
redis.call('ZADD', opened, ends_at, activity)
local left = redis.call('PTTL', opened)
if left < 0 or left < ends_at - now then redis.call('PEXPIREAT', opened, ends_at) end
return { 1, count + 1 }
