-- lease (writes)
--
-- Acquires, renews or releases a lease.
--
-- KEYS
--   lease
-- ARGV
--   holder
--   lifetime: ms, 0 to release it
--   only: `free` for a lease that has no holder, `own` for one that has not expired since it was acquired, else ''
-- Reply: flag (true if the holder has the lease now)

local is = redis.call('GET', lease)
if is and (is ~= holder or only == 'free') or not is and only == 'own' then return 0 end
if lifetime == '0' then
    redis.call('DEL', lease)
    return 0
end
redis.call('SET', lease, holder, 'PX', lifetime)
return 1
