-- change-tenant (writes)
--
-- Changes a field of a tenant. Every change gives the tenant's hash a higher revision, by which what is written of
-- it elsewhere keeps its order.
--
-- KEYS
--   tenant
-- ARGV
--   field
--   value
-- Reply: nil when there is no such tenant, else Redis's time in epoch ms and the hash

if redis.call('EXISTS', tenant) == 0 then return false end
redis.call('HSET', tenant, field, value)
redis.call('HINCRBY', tenant, 'revision', 1)
local time = redis.call('TIME')
return { time[1] * 1000 + math.floor(time[2] / 1000), redis.call('HGETALL', tenant) }
