-- find-unpublished-pages (reads)
--
-- Pages of a partition whose events have not been published.
--
-- KEYS
--   untold: pages
-- ARGV
--   most
-- Reply: field and value of each

local found = {}
for _, field in ipairs(redis.call('HKEYS', untold)) do
    if #found >= 2 * most then break end
    found[#found + 1] = field
    found[#found + 1] = redis.call('HGET', untold, field)
end
return found
