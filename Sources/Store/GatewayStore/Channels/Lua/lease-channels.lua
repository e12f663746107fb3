-- lease-channels (writes)
--
-- Acquires, renews or releases the lease on the maintenance of an app's broadcast channels.
--
-- KEYS
--   lease
-- ARGV
--   holder
--   lifetime: ms, 0 to release it
-- Reply: flag (true if the holder has the lease now)

local is = redis.call('GET', lease)
if is and is ~= holder then return 0 end
if lifetime == '0' then
    redis.call('DEL', lease)
    return 0
end
redis.call('SET', lease, holder, 'PX', lifetime)
return 1
