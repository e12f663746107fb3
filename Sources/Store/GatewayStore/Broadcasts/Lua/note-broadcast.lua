-- note-broadcast (writes)
--
-- Adds fields to the record of an unfinished broadcast. Existing fields keep their values.
--
-- KEYS
--   broadcast
-- ARGV
--   fields...(2): and values
-- Reply: flag (0 if the broadcast has ended or does not exist)

local state = redis.call('HGET', broadcast, 'state')
if state ~= BROADCAST.queued and state ~= BROADCAST.running then return 0 end
for index = fields_at, #ARGV, 2 do redis.call('HSETNX', broadcast, ARGV[index], ARGV[index + 1]) end
return 1
