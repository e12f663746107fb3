-- open-activity (writes)
--
-- Counts a device-initiated activity as live unless the limit is reached. Drops expired activities first. Counts
-- nothing for a user who no longer exists, because that user cannot join an activity.
--
-- KEYS
--   opened
--   user?: the user with this set; omitted for a tenant's set
-- ARGV
--   activity: its id
--   ends_at: epoch ms
--   now: epoch ms
--   limit: 0 for none
-- Reply: {is_counted: flag, count: int}
--   is_counted: false if the limit is reached
--   count: number of live activities
-- Includes: write-rights

if user and redis.call('EXISTS', user) == 0 then return { 1, 0 } end
redis.call('ZREMRANGEBYSCORE', opened, '-inf', now)
if redis.call('ZSCORE', opened, activity) then return { 1, redis.call('ZCARD', opened) } end
local count = redis.call('ZCARD', opened)
if limit ~= '0' and count >= tonumber(limit) then return { 0, count } end
local left = redis.call('PTTL', opened)
local is_last = left < 0 or left < ends_at - now
if is_last then require_writes(opened, 'PEXPIREAT') end
redis.call('ZADD', opened, ends_at, activity)
if is_last then redis.call('PEXPIREAT', opened, ends_at) end
return { 1, count + 1 }
