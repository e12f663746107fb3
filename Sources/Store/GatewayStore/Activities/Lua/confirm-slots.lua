-- confirm-slots (writes)
--
-- Makes slots, once they are filled, part of the segment. A start that came in between has not seen them.
--
-- KEYS
--   activity
--   roster_lock
-- ARGV
--   devices
--   users: negative when they leave
--   token: the lock's
--   ranges...(2): first slot, and the one behind the last
-- Reply: 1, or 0 when the lock has run out or the activity is no longer in state `registered`
-- Includes: slot-ranges

if redis.call('GET', roster_lock) ~= token then return 0 end
if redis.call('HGET', activity, 'state') ~= ACTIVITY.registered then return 0 end
for position = ranges_at, #ARGV, 2 do
    confirm_slots(activity, tonumber(ARGV[position]), tonumber(ARGV[position + 1]))
end
redis.call('HINCRBY', activity, 'devices', devices)
redis.call('HINCRBY', activity, 'users', users)
return 1
