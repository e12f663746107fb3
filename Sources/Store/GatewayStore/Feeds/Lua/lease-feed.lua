-- lease-feed (writes)
--
-- Takes or renews the lease on polling a feed, or gives it back, and reads how the feed is doing.
--
-- KEYS
--   lease
--   feed
-- ARGV
--   holder
--   lifetime: ms, 0 to give it back
-- Reply: {1 when it is the holder's now, 0 when it is another one's or nobody's, the feed's hash}

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
