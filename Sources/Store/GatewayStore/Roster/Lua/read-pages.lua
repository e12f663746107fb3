-- read-pages (reads)
--
-- Reads pages of one partition, wherever they stand.
--
-- KEYS
--   pages...
-- Reply: the pages, '' for one that is not there
-- Includes: pages

local reply = {}
for place, page in ipairs((open_pages({ unpack(KEYS, pages_at) }))) do reply[place] = read_page(page) or '' end
return reply
