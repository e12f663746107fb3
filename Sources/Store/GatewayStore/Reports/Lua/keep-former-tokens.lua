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
--   are_over: '1' when they are those of Live Activities before the slot's own
-- Reply: flag (always true)
-- Includes: keep-digest, write-rights

require_writes(counters, 'PEXPIREAT')
for at = 1, #digests, 8 do
    local is_over = are_over == '1' and at + 8 > #digests
    keep_digest(counters, slot, string.sub(digests, at, at + 7), expires_at, is_over)
end
return 1
