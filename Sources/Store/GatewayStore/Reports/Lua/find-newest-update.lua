-- find-newest-update (reads)
--
-- The update whose content is kept.
--
-- KEYS
--   activity
-- ARGV
--   prefix: key prefix of the activity's broadcasts
-- Reply: {id, order number, '1' when its fan-out has ended, else ''}, or nil if there is none

local newest = redis.call('HMGET', activity, 'newest_update', 'newest_order')
if not newest[1] or not newest[2] then return false end
local state = redis.call('HGET', prefix .. newest[1], 'state')
return { newest[1], newest[2], (state == BROADCAST.queued or state == BROADCAST.running) and '' or '1' }
