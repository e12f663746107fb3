-- put-credential (writes)
--
-- Writes a key's credential unless a newer revision is stored. A revoked key keeps its revision for an hour, so that a
-- late writer cannot restore it.
--
-- KEYS
--   credential
-- ARGV
--   revision: the tenant's
--   counts_until: epoch ms, '' for no end, 0 if revoked
--   fields...(2): names and values
-- Reply: flag (false if a newer revision is stored)

local stored = tonumber(redis.call('HGET', credential, 'revision') or 0)
if stored > tonumber(revision) then return 0 end
if counts_until == '0' then
    redis.call('DEL', credential)
    redis.call('HSET', credential, 'revision', revision)
    redis.call('PEXPIRE', credential, 3600000)
    return 1
end
redis.call('HSET', credential, 'revision', revision, unpack(ARGV, fields_at))
if counts_until == '' then
    redis.call('PERSIST', credential)
else
    redis.call('PEXPIREAT', credential, counts_until)
end
return 1
