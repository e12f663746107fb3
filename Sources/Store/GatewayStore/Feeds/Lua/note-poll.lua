-- note-poll (writes)
--
-- Records a feed's state after a poll, if the caller still holds the lease.
--
-- A caller that lost the lease may have written topics later than the new holder. The script then drops the content
-- last seen, so that the holder writes all topics again. A holder with a poll under way detects it by `strays`.
--
-- KEYS
--   lease
--   feed
-- ARGV
--   holder
--   strays: the hash's value when the poll began, '' for none
--   lifetime: ms for which the hash is kept
--   fields...(2): the feed's hash
-- Reply: flag (false if the holder has lost the lease)
-- Includes: write-rights

require_writes(feed, 'DEL', 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE')
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
