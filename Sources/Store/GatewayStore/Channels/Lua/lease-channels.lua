-- lease-channels (writes)
--
-- Takes or renews the lease on keeping an app's broadcast channels, or gives it back.
--
-- KEYS
--   lease
-- ARGV
--   holder
--   lifetime: ms, 0 to give it back
-- Reply: 1 when it is the holder's now, 0 when it is another one's or nobody's

local is = redis.call('GET', lease)
if is and is ~= holder then return 0 end
if lifetime == '0' then
    redis.call('DEL', lease)
    return 0
end
redis.call('SET', lease, holder, 'PX', lifetime)
return 1
