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
-- Includes: write-rights

local is = redis.call('HMGET', progress, 'owner', 'pages', 'doubt')
-- A new hash can expire only after its owner is written, who would then seem to be a former one.
require_writes(progress, 'PEXPIREAT', is[3] == DOUBT.nothing and 'HDEL' or nil)
redis.call('HSET', progress, 'owner', owner)
redis.call('PEXPIREAT', progress, expires_at)
-- From now on pages may again be sent in part.
if is[3] == DOUBT.nothing then redis.call('HDEL', progress, 'doubt') end
return { is[2] or '', is[1] and 1 or 0, redis.call('HGET', counters, 'turns') or '', is[3] or '' }
