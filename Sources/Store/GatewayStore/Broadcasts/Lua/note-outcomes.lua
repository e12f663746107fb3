-- note-outcomes (writes)
--
-- Notes what a push came to that belongs to no page of a broadcast.
--
-- KEYS
--   outcome_page
--   status_page
-- ARGV
--   first: index
--   codes
--   kinds
--   expires_at: epoch ms
-- Reply: 1
-- Includes: outcomes

local outcome_page, status_page = unpack(open_pages({ outcome_page, status_page }))
put_outcomes(outcome_page, status_page, tonumber(first), codes, kinds, expires_at)
return 1
