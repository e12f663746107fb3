-- keep-digest (part)
--
-- Records the digests of the tokens that a slot had before its last one.
-- Includes: former-tokens

-- Adds the digest of a cell that is about to be overwritten. A divider follows if its Live Activity is over.
local function keep_digest(counters, slot, digest, expires_at, is_over)
    if digest == '' or not keeps_former(slot) then return end
    if is_over then digest = digest .. divider() end
    local field = 'former:' .. slot
    local earlier = redis.call('HGET', counters, field) or ''
    if string.sub(earlier, -#digest) == digest then return end
    redis.call('HSET', counters, field, string.sub(earlier .. digest, -8 * LIMIT.former_tokens))
    redis.call('PEXPIREAT', counters, expires_at)
end
