-- note-poll (writes)
--
-- Writes down how a feed is doing after a poll, if the lease is still the caller's.
--
-- A caller that has lost it may have written topics after their newer holder did. So what the feed said last is
-- forgotten, and the holder takes the whole again; 'strays' tells it so, also when its own poll is under way.
--
-- KEYS
--   lease
--   feed
-- ARGV
--   holder
--   strays: what the hash said of them when the poll began, '' for nothing
--   lifetime: ms that it is kept
--   fields...(2): the feed's hash
-- Reply: 1, 0 when the lease is not the holder's any more

local is_strays = redis.call('HGET', feed, 'strays')
if redis.call('GET', lease) ~= holder then
    redis.call('HDEL', feed, 'tag', 'digest')
    redis.call('HINCRBY', feed, 'strays', 1)
    redis.call('PEXPIRE', feed, lifetime)
    return 0
end
redis.call('DEL', feed)
redis.call('HSET', feed, unpack(ARGV, fields_at))
if (is_strays or '') ~= strays then redis.call('HDEL', feed, 'tag', 'digest') end
if is_strays then redis.call('HSET', feed, 'strays', is_strays) end
redis.call('PEXPIRE', feed, lifetime)
return 1
