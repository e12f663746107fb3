-- reseal-secrets (writes)
--
-- Replaces the stored form of a tenant's identity secrets, if they are still stored as the caller has read them.
--
-- KEYS
--   tenant
-- ARGV
--   secrets...(2): the present and the new stored form
-- Reply: {time: int, tenant: fields}?
--   nil if the tenant has none
--   time: Redis's clock, epoch ms
--   tenant: the hash

local is = redis.call('HMGET', tenant, 'identity', 'identity_old')
if not is[1] then return false end
local fresh = {}
for index = secrets_at, #ARGV, 2 do fresh[ARGV[index]] = ARGV[index + 1] end
redis.call('HSET', tenant, 'identity', fresh[is[1]] or is[1])
if is[2] then
    local old = string.gsub(is[2], '(%x+):', function(kept) return (fresh[kept] or kept) .. ':' end)
    redis.call('HSET', tenant, 'identity_old', old)
end
redis.call('HINCRBY', tenant, 'revision', 1)
local time = redis.call('TIME')
return { time[1] * 1000 + math.floor(time[2] / 1000), redis.call('HGETALL', tenant) }
