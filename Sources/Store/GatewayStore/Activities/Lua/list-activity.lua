-- list-activity (writes)
--
-- Adds an activity to the index of its hour. If the newest part is full, another one begins after its last entry. Older
-- entries go into their part even if it is full.
--
-- KEYS
--   index: its first part
--   parts: beginnings of the others
-- ARGV
--   entry
--   expires_at: epoch ms
-- Reply: flag
-- Includes: activity-index

local made_at = made_at_of(entry)
local beginning = beginning_at(parts, made_at)
local part = part_from(index, beginning)
if redis.call('ZCARD', part) >= LIMIT.listed_in_part and beginning == redis.call('ZREVRANGE', parts, 0, 0)[1] then
    local next_beginning = made_at_of(redis.call('ZREVRANGE', part, 0, 0)[1]) + 1
    if next_beginning <= made_at then
        local spelled = string.format('%.0f', next_beginning)
        redis.call('ZADD', parts, 0, spelled)
        redis.call('PEXPIREAT', parts, expires_at)
        part = part_from(index, spelled)
    end
end
redis.call('ZADD', part, 0, entry)
redis.call('PEXPIREAT', part, expires_at)
return 1
