-- note-members (writes)
--
-- Records, in the set-aside data, the number of leaving devices that an activity's segment counts. It runs before their
-- slots are emptied, because emptied slots have no status.
--
-- KEYS
--   aside: the erasure's
-- ARGV
--   place: field of the place to leave
--   field: for the number
--   members: present number
-- Reply: int (the number that was recorded first; 0 if the place is no longer set aside)

if redis.call('HEXISTS', aside, place) == 0 then return 0 end
redis.call('HSETNX', aside, field, members)
return tonumber(redis.call('HGET', aside, field))
