-- forget-secrets (writes)
--
-- Deletes expired secrets from a tenant's hash, after they were revoked in all credentials.
--
-- KEYS
--   tenant
-- ARGV
--   kind
--   hashes...
-- Reply: flag

local gone = {}
for index = hashes_at, #ARGV do gone[ARGV[index]] = true end
local left = {}
for hash, ends in string.gmatch(redis.call('HGET', tenant, kind .. '_old') or '', '(%x+):(%d+)') do
    if not gone[hash] then left[#left + 1] = hash .. ':' .. ends end
end
if #left > 0 then
    redis.call('HSET', tenant, kind .. '_old', table.concat(left, ','))
else
    redis.call('HDEL', tenant, kind .. '_old')
end
return 1
