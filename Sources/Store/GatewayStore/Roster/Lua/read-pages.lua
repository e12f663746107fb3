-- read-pages (reads)
--
-- Reads pages of one partition, from fields or keys.
--
-- KEYS
--   pages...
-- Reply: [bytes] (the pages, '' for a page that does not exist)
-- Includes: pages

local reply = {}
for place, page in ipairs((open_pages({ unpack(KEYS, pages_at) }))) do reply[place] = read_page(page) or '' end
return reply
