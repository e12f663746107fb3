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
-- Reply: {states of the pages, 1 if somebody worked on it before, turns of the pages}

local before = redis.call('HGET', progress, 'owner')
redis.call('HSET', progress, 'owner', owner)
redis.call('PEXPIREAT', progress, expires_at)
return {
    redis.call('HGET', progress, 'pages') or '', before and 1 or 0, redis.call('HGET', counters, 'turns') or '',
}
