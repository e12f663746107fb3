-- forget-vanished (writes)
--
-- Removes unfinished broadcasts whose record or activity was evicted, lost or has expired.
--
-- KEYS
--   unfinished: broadcasts
--   owners: of these
--   counts: of these, by owner
-- ARGV
--   prefix: key prefix of the shard's activities
--   count: most members to check
-- Reply: [text] (the removed members)
-- Includes: unfinished

local vanished = {}
for _, member in ipairs(redis.call('ZRANGE', unfinished, 0, count - 1)) do
    local activity, id = string.match(member, '^(.-):(.*)$')
    local key = prefix .. activity
    if redis.call('EXISTS', key, key .. ':b:' .. id) < 2 then
        local open = redis.call('HGETALL', key .. ':open')
        for index = 2, #open, 2 do
            if string.sub(open[index], 1, #id + 1) == id .. ':' then
                redis.call('HDEL', key .. ':open', open[index - 1])
            end
        end
        take_off(owners, counts, member)
        redis.call('ZREM', unfinished, member)
        vanished[#vanished + 1] = member
    end
end
return vanished
