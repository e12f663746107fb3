-- note-outcomes (writes)
--
-- Records the outcomes of pushes that belong to no page of a broadcast.
--
-- KEYS
--   outcome_page
--   status_page
--   start_counts?: numbers of starts, with order
-- ARGV
--   first: index
--   codes
--   kinds
--   expires_at: epoch ms
--   first_slot: of the page
--   order: of the end of single devices, '' for other broadcasts. A Live Activity started since is another one.
-- Reply: flag (always 1)
-- Includes: outcomes, start-notes

local outcome_page, status_page = unpack(open_pages({ outcome_page, status_page }))
local codes = codes
if order ~= '' then codes = without_later_starts(codes, start_counts, first_slot + first, order) end
if not string.find(codes, '[^%z]') then return 1 end
put_outcomes(outcome_page, status_page, tonumber(first), codes, kinds, expires_at)
return 1
