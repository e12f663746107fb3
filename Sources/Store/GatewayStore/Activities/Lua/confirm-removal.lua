-- confirm-removal (writes)
--
-- Takes users out of the count of a segment, and notes whose slots are to be emptied and memberships to be deleted now,
-- in place of those that were noted before: whoever changes the segment next, or starts the activity, does it if the
-- caller does not.
--
-- KEYS
--   activity
--   roster_lock
--   leaving
-- ARGV
--   devices: negative
--   users: negative
--   token: the lock's
--   kept_until: epoch ms
--   members...(2): insider id, and the membership
-- Reply: 1, or 0 when the lock has run out or the activity is no longer in state `registered`

if redis.call('GET', roster_lock) ~= token then return 0 end
if redis.call('HGET', activity, 'state') ~= ACTIVITY.registered then return 0 end
redis.call('HINCRBY', activity, 'devices', devices)
redis.call('HINCRBY', activity, 'users', users)
redis.call('DEL', leaving)
for position = members_at, #ARGV, 2 do redis.call('HSET', leaving, ARGV[position], ARGV[position + 1]) end
redis.call('PEXPIREAT', leaving, kept_until)
return 1
