-- open-partition (writes)
--
-- Makes a hold the one who works on an update or end in a partition.
--
-- KEYS
--   progress
--   counters
-- ARGV
--   owner
--   expires_at: epoch ms
-- Reply: {pages: bytes, was_open: flag, turns: bytes, doubt: text}
--   pages: their states
--   was_open: 1 if a hold worked on it before
--   turns: of the pages
--   doubt: recorded doubt, '' for none

local is = redis.call('HMGET', progress, 'owner', 'pages', 'doubt')
-- From now on pages may again be sent in part.
if is[3] == DOUBT.nothing then redis.call('HDEL', progress, 'doubt') end
redis.call('HSET', progress, 'owner', owner)
redis.call('PEXPIREAT', progress, expires_at)
return { is[2] or '', is[1] and 1 or 0, redis.call('HGET', counters, 'turns') or '', is[3] or '' }
