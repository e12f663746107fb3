-- confirm-slots (writes)
--
-- Makes slots, once they are filled, part of the segment. A start that came in between has not seen them.
--
-- KEYS
--   activity
--   roster_lock
-- ARGV
--   first: slot
--   past: slot behind the last one
--   devices
--   users: negative when they leave
--   token: the lock's
-- Reply: 1, or 0 when the lock has run out or the activity is no longer in state `registered`

if redis.call('GET', roster_lock) ~= token then return 0 end
if redis.call('HGET', activity, 'state') ~= ACTIVITY.registered then return 0 end
local first, past = tonumber(first), tonumber(past)
if first < past then
    local ranges = redis.call('HGET', activity, 'slots') or ''
    local pair = struct.pack('<I4I4', first, past)
    if #ranges >= 8 and struct.unpack('<I4', ranges, #ranges - 3) == first then
        ranges = string.sub(ranges, 1, #ranges - 4) .. string.sub(pair, 5)
    else
        ranges = ranges .. pair
    end
    redis.call('HSET', activity, 'slots', ranges)
end
redis.call('HINCRBY', activity, 'devices', devices)
redis.call('HINCRBY', activity, 'users', users)
return 1
