-- note-use (writes)
--
-- Records the use of a quota, and returns a crossing if it is nearly or fully used.
--
-- KEYS
--   usage: the tenant's
-- ARGV
--   name
--   used
--   limit
--   again_after: ms before the same crossing can be reported again
-- Reply: [text] (the crossing, see `crossings`; empty if there is none)
-- Includes: minute-window, crossings

local crossed = {}
note_crossing(usage, name, tonumber(used), limit, tonumber(again_after), now_ms(), crossed)
return crossed
