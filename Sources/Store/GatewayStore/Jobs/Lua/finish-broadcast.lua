-- finish-broadcast (writes)
--
-- Writes how a broadcast ended, once.
--
-- KEYS
--   broadcast
--   open_broadcasts
--   unfinished: broadcasts
--   activity
--   old_count: of those that earlier versions have recorded
--   owners: of the unfinished broadcasts
--   counts: of these, by owner
-- ARGV
--   order: number
--   keep: 'keep' when the content is needed further on
--   id
--   member: of the unfinished broadcasts
--   has_failed: '1' when it was stopped, or could not be read
--   fields...(2): and values
-- Reply: 1, or 0 when it was finished before
-- Includes: unfinished

local state = redis.call('HGET', broadcast, 'state')
if state ~= BROADCAST.queued and state ~= BROADCAST.running then return 0 end
local gone = { 'jobs_done', 'superseded', 'not_before', 'stop', 'paused', 'paused_at' }
if keep ~= 'keep' and redis.call('HGET', activity, 'newest_update') ~= id
    and redis.call('HEXISTS', broadcast, 'late') == 0
then
    gone[#gone + 1] = 'payload'
    gone[#gone + 1] = 'scope'
end
for _, field in ipairs(redis.call('HKEYS', broadcast)) do
    if string.match(field, '^d[0-9*=+]+$') or string.match(field, '^stop:') or string.match(field, '^met:') then
        gone[#gone + 1] = field
    end
    if #gone >= 1000 then
        redis.call('HDEL', broadcast, unpack(gone))
        gone = { 'stop' }
    end
end
redis.call('HDEL', broadcast, unpack(gone))
redis.call('HSET', broadcast, unpack(ARGV, fields_at))
-- Whether its content has come to anybody is not known: the same may be sent again.
if has_failed == '1' and redis.call('HGET', activity, 'shown_order') == order then
    redis.call('HDEL', activity, 'shown', 'shown_order')
end
redis.call('HDEL', open_broadcasts, order)
take_off(owners, counts, member)
if redis.call('ZREM', unfinished, member) == 0 and redis.call('EXISTS', old_count) == 1
    and redis.call('DECR', old_count) <= 0 then
    redis.call('DEL', old_count)
end
return 1
