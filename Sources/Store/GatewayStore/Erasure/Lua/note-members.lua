-- note-members (writes)
--
-- Notes, in what was set aside, how many of the devices that leave an activity are of its segment: before their places
-- are emptied, which then tell it no more.
--
-- KEYS
--   aside: the erasure's
-- ARGV
--   place: the field of what is left
--   field: where it is noted
--   members: how many there are now
-- Reply: how many there were when that was noted first; 0 when somebody else has concluded the erasure

if redis.call('HEXISTS', aside, place) == 0 then return 0 end
redis.call('HSETNX', aside, field, members)
return tonumber(redis.call('HGET', aside, field))
