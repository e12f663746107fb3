-- supersede-list (writes)
--
-- Marks an update to a target list as superseded. Does nothing if the update has ended.
--
-- KEYS
--   broadcast
-- ARGV
--   time: time from which it is superseded, epoch ms
-- Reply: flag (false if it has ended)

local is = redis.call('HMGET', broadcast, 'state', 'superseded')
if is[1] ~= BROADCAST.queued and is[1] ~= BROADCAST.running then return 0 end
if not is[2] or tonumber(is[2]) > tonumber(time) then redis.call('HSET', broadcast, 'superseded', time) end
return 1
