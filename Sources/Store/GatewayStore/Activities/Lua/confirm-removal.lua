-- confirm-removal (writes)
--
-- Removes users from the counts of a segment, and records them as leaving, in place of those recorded before. Their
-- slots are then emptied and their memberships deleted. If the caller dies, the next change or the start completes the
-- removal.
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
--   members...(2): insider_id and membership
-- Reply: flag
--   false if the lock has expired or the activity is no longer in state `registered`
-- Includes: write-rights

if redis.call('GET', roster_lock) ~= token then return 0 end
if redis.call('HGET', activity, 'state') ~= ACTIVITY.registered then return 0 end
-- Users recorded as leaving leave, whether they were counted off or not.
require_writes(activity, 'HINCRBY', 'HSET', 'PEXPIREAT')
redis.call('DEL', leaving)
for position = members_at, #ARGV, 2 do redis.call('HSET', leaving, ARGV[position], ARGV[position + 1]) end
redis.call('PEXPIREAT', leaving, kept_until)
redis.call('HINCRBY', activity, 'devices', devices)
redis.call('HINCRBY', activity, 'users', users)
return 1
