-- keep-former-tokens (writes)
--
-- Has a slot know the tokens of the slot that its device had before.
--
-- KEYS
--   counters
-- ARGV
--   slot
--   digests: the newest last
--   expires_at: of the counters, epoch ms
-- Reply: 1
-- Includes: keep-digest

for at = 1, #digests, 8 do keep_digest(counters, slot, string.sub(digests, at, at + 7), expires_at) end
return 1
