-- lease-feed (writes)
--
-- Acquires, renews or releases the lease on polling a feed, and reads the feed's state.
--
-- KEYS
--   lease
--   feed
-- ARGV
--   holder
--   lifetime: ms, 0 to release the lease
-- Reply: {is_own: flag, feed: fields}
--   is_own: true if the holder has the lease now
--   feed: the hash

local is = redis.call('GET', lease)
local is_own = 0
if not is or is == holder then
    if lifetime == '0' then
        redis.call('DEL', lease)
    else
        redis.call('SET', lease, holder, 'PX', lifetime)
        is_own = 1
    end
end
return { is_own, redis.call('HGETALL', feed) }
