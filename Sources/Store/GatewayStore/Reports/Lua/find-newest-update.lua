-- find-newest-update (reads)
--
-- The update whose content is kept.
--
-- KEYS
--   activity
-- ARGV
--   prefix: key prefix of the activity's broadcasts
-- Reply: {id: text, order: int, has_ended: flag}?
--   nil if there is no such update
--   order: order number
--   has_ended: true if its fan-out has ended

local newest = redis.call('HMGET', activity, 'newest_update', 'newest_order')
if not newest[1] or not newest[2] then return false end
local state = redis.call('HGET', prefix .. newest[1], 'state')
return { newest[1], tonumber(newest[2]), (state == BROADCAST.queued or state == BROADCAST.running) and 0 or 1 }
