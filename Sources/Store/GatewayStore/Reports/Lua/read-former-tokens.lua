-- read-former-tokens (reads)
--
-- Reads the digests of the update tokens that a slot has and had.
--
-- KEYS
--   update_page
--   status_page
--   counters
-- ARGV
--   index
--   slot
-- Reply: bytes (the digests, the newest last)
-- Includes: former-tokens

local update_page = open_pages({ update_page })[1]
local old, _, _, rest = read_cell(update_page, tonumber(index))
return (redis.call('HGET', counters, 'former:' .. slot) or '') .. cell_without_token('', slot, old, rest)
