-- put-credential (writes)
--
-- Writes what a request needs to know of its key, unless something newer stands there. A revoked key leaves its
-- revision behind for an hour, so that nobody who is late brings it back.
--
-- KEYS
--   credential
-- ARGV
--   revision: the tenant's
--   counts_until: epoch ms, '' for good, 0 revoked
--   fields...(2): and values
-- Reply: 1, or 0 when something newer stands there

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
