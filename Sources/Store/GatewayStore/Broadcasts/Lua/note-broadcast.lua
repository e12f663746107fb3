-- note-broadcast (writes)
--
-- Adds fields to the record of a broadcast that is under way; a field that is there stays as it is.
--
-- KEYS
--   broadcast
-- ARGV
--   fields...(2): and values
-- Reply: 1, or 0 when the broadcast has ended or is gone

local state = redis.call('HGET', broadcast, 'state')
if state ~= BROADCAST.queued and state ~= BROADCAST.running then return 0 end
for index = fields_at, #ARGV, 2 do redis.call('HSETNX', broadcast, ARGV[index], ARGV[index + 1]) end
return 1
