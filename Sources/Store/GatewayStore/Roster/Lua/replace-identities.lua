-- replace-identities (writes)
--
-- Replaces a run of identities if it equals the expected one.
--
-- KEYS
--   identities
-- ARGV
--   first: index
--   expected
--   run
--   expires_at: epoch ms
-- Reply: flag (false if there is another run)
-- Includes: identities

local identities = unpack(open_pages({ identities }))
if find_run(identities, first) ~= expected then return 0 end
put_run(identities, first, run, expires_at)
return 1
