-- replace-identities (writes)
--
-- Writes who a run of slots is, if it is still what it was.
--
-- KEYS
--   identities
-- ARGV
--   first: index
--   expected
--   run
--   expires_at: epoch ms
-- Reply: 1 when it was written, 0 when another one is there
-- Includes: identities

local identities = unpack(open_pages({ identities }))
if find_run(identities, first) ~= expected then return 0 end
put_run(identities, first, run, expires_at)
return 1
