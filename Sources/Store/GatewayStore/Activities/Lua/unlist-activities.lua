-- unlist-activities (writes)
--
-- Takes entries out of the index of their hour. A part in which nothing is left goes.
--
-- KEYS
--   index: its first part
--   parts: beginnings of the others
-- ARGV
--   entries...(1)
-- Reply: 1
-- Includes: activity-index

for position = entries_at, #ARGV do
    local entry = ARGV[position]
    local beginning = beginning_at(parts, made_at_of(entry))
    local part = part_from(index, beginning)
    redis.call('ZREM', part, entry)
    if beginning and redis.call('EXISTS', part) == 0 then redis.call('ZREM', parts, beginning) end
end
return 1
