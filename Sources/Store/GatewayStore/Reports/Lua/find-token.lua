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
-- Reply: {delivery status, 2 when the slot has a token, 1 when it has lost one, else 0, rank}; rank 3: its token, 2:
--   the last one, which it has lost, 1: an earlier one of its present Live Activity, -1: one of an earlier Live
--   Activity, 0: any other
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
