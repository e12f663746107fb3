-- supersede-list (writes)
--
-- Tells an update to a target list that there is nothing left for it to do. One that has ended meanwhile need not know.
--
-- KEYS
--   broadcast
-- ARGV
--   time: from which it counts as superseded, epoch ms
-- Reply: 1, or 0 when it has ended

local state = redis.call('HGET', broadcast, 'state')
if state ~= BROADCAST.queued and state ~= BROADCAST.running then return 0 end
redis.call('HSET', broadcast, 'superseded', time)
return 1
