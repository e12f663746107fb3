-- confirm-slots (writes)
--
-- Adds filled slots to the segment, unless a start has come in between.
--
-- KEYS
--   activity
--   roster_lock
-- ARGV
--   devices
--   users: number of new members
--   token: the lock's
--   ranges...(2): first slot, and the one after the last
-- Reply: flag
--   false if the lock has expired or the activity is no longer in state `registered`
-- Includes: slot-ranges, write-rights

if redis.call('GET', roster_lock) ~= token then return 0 end
if redis.call('HGET', activity, 'state') ~= ACTIVITY.registered then return 0 end
require_writes(activity, 'HINCRBY')
for position = ranges_at, #ARGV, 2 do
    confirm_slots(activity, tonumber(ARGV[position]), tonumber(ARGV[position + 1]))
end
redis.call('HINCRBY', activity, 'devices', devices)
redis.call('HINCRBY', activity, 'users', users)
return 1
