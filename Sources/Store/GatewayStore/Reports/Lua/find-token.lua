-- find-token (reads)
--
-- Compares a token with those that a slot has, and had.
--
-- KEYS
--   update_page
--   status_page
--   counters
-- ARGV
--   index
--   slot
--   token: '' for none
-- Reply: {status: int, held: int, rank: int}
--   status: delivery status
--   held: 2 if the slot has a token, 1 if it has lost one, else 0
--   rank: 3 for its token, 2 for the last one, which it has lost, 1 for an earlier one of its present Live Activity, -1
--     for one of an earlier Live Activity, 0 for any other
-- Includes: former-tokens

local index = tonumber(index)
local pages, is = open_pages({ update_page, status_page }, { 'former:' .. slot })
local update_page, status_page = unpack(pages)
local status = string.byte(read_range(status_page, index, index)) or 0
local old, _, _, rest = read_cell(update_page, index)
local has_token = old and old ~= ''
if has_token and token ~= '' and string.sub(old, 5) == token then return { status, 2, 3 } end
local digest = last_digest(rest)
local rank = token ~= '' and former_rank(is[1], digest, token, status) or 0
return { status, has_token and 2 or digest ~= '' and 1 or 0, rank }
