-- change-tenant (writes)
--
-- Changes fields of a tenant. Every change gives the tenant's hash a higher revision, by which what is written of
-- it elsewhere keeps its order.
--
-- KEYS
--   tenant
-- ARGV
--   fields...(2): and values, '' to take the field away
-- Reply: nil when there is no such tenant, else Redis's time in epoch ms and the hash

if redis.call('EXISTS', tenant) == 0 then return false end
for position = fields_at, #ARGV, 2 do
    if ARGV[position + 1] == '' then
        redis.call('HDEL', tenant, ARGV[position])
    else
        redis.call('HSET', tenant, ARGV[position], ARGV[position + 1])
    end
end
redis.call('HINCRBY', tenant, 'revision', 1)
local time = redis.call('TIME')
return { time[1] * 1000 + math.floor(time[2] / 1000), redis.call('HGETALL', tenant) }
