-- note-use (writes)
--
-- Notes how much of a quota is used, for whoever is told when it is nearly or wholly used up.
--
-- KEYS
--   usage: the tenant's
-- ARGV
--   name
--   used
--   limit
--   again_after: ms in which it is not told again
-- Reply: empty, or {its name, 1 when it is nearly used up and 2 when wholly, what is used, the limit}
-- Includes: minute-window, crossings

local crossed = {}
note_crossing(usage, name, tonumber(used), limit, tonumber(again_after), now_ms(), crossed)
return crossed
