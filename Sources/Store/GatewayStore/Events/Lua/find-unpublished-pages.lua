-- find-unpublished-pages (reads)
--
-- Reads outbox entries of a partition.
--
-- KEYS
--   untold: the outbox entries
-- ARGV
--   most: limit of entries
-- Reply: fields (field and value of each entry)

local found = {}
for _, field in ipairs(redis.call('HKEYS', untold)) do
    if #found >= 2 * most then break end
    found[#found + 1] = field
    found[#found + 1] = redis.call('HGET', untold, field)
end
return found
