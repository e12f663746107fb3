-- install-segment (writes)
--
-- Replaces the parts of a stored segment in one step. The cleanup task `w` of the change becomes a cleanup task `x` for
-- the replaced parts.
--
-- KEYS
--   segment
--   names
--   cleanups
-- ARGV
--   writer: the change's id
--   name
--   expected: version that it must have, '' for any version or a new segment
--   users: new total
--   now: epoch ms
--   partitions
--   replaces: '1' to drop all parts that are not given
--   parts...(2): partition and part, '' for none
-- Reply: one of
--   installed = 1
--   raced = 0: the version is another
--   unknown = -1: the segment does not exist
--   too_many = -2: the tenant has as many segments as it may
--   taken_over = -3: another gateway has taken over the cleanup task
-- Includes: segment-cleanups, write-rights

local replaces_all = replaces == '1'
local version = redis.call('HGET', segment, 'version')
if expected ~= '' then
    if not version then return -1 end
    if version ~= expected then return 0 end
end
local cleanup = redis.call('HGET', cleanups, writer)
if not cleanup or string.sub(cleanup, 1, 1) ~= 'w' then return -3 end
if not version and redis.call('ZCARD', names) >= LIMIT.segments then return -2 end
-- The replaced parts are noted for deletion after they are replaced.
require_writes(segment, 'DEL', 'HDEL', 'HSET', 'ZADD')
local retired = {}
if replaces_all then
    local all = redis.call('HGETALL', segment)
    for index = 1, #all, 2 do
        if tonumber(all[index]) then retire(retired, all[index], all[index + 1]) end
    end
    redis.call('DEL', segment)
end
for index = parts_at, #ARGV, 2 do
    local partition, part = ARGV[index], ARGV[index + 1]
    local old = redis.call('HGET', segment, partition)
    if old then retire(retired, partition, old) end
    if part == '' then
        redis.call('HDEL', segment, partition)
    else
        redis.call('HSET', segment, partition, part)
    end
end
redis.call('HSET', segment, 'version', writer, 'users', users, 'updated_at', now, 'partitions', partitions)
redis.call('ZADD', names, 0, name)
note(cleanups, writer, now, retired)
return 1
