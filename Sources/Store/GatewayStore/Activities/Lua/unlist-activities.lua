-- unlist-activities (writes)
--
-- Removes entries from the index of their hour, and empty parts from the list of parts.
--
-- KEYS
--   index: its first part
--   parts: beginnings of the others
-- ARGV
--   entries...(1)
-- Reply: flag
-- Includes: activity-index

for position = entries_at, #ARGV do
    local entry = ARGV[position]
    local beginning = beginning_at(parts, made_at_of(entry))
    local part = part_from(index, beginning)
    redis.call('ZREM', part, entry)
    if beginning and redis.call('EXISTS', part) == 0 then redis.call('ZREM', parts, beginning) end
end
return 1
