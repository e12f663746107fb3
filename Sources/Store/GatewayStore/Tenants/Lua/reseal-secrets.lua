-- reseal-secrets (writes)
--
-- Keeps identity secrets of a tenant in another form, those that are still kept as the caller has seen them.
--
-- KEYS
--   tenant
-- ARGV
--   secrets...(2): as one is kept, and as it is to be kept
-- Reply: nil when the tenant has none, else as `changeTenant`

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
