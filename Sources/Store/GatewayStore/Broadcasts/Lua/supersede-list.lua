-- supersede-list (writes)
--
-- Tells an update to a target list that there is nothing left for it to do. One that has ended meanwhile need not know.
--
-- KEYS
--   broadcast
-- ARGV
--   time: from which it counts as superseded, epoch ms
-- Reply: 1, or 0 when it has ended

local is = redis.call('HMGET', broadcast, 'state', 'superseded')
if is[1] ~= BROADCAST.queued and is[1] ~= BROADCAST.running then return 0 end
if not is[2] or tonumber(is[2]) > tonumber(time) then redis.call('HSET', broadcast, 'superseded', time) end
return 1
