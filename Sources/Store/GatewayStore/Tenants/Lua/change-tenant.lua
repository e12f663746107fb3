-- change-tenant (writes)
--
-- Changes fields of a tenant. Each change raises the revision, which orders the copies of the hash in credentials.
--
-- KEYS
--   tenant
-- ARGV
--   fields...(2): names and values, '' to delete the field
-- Reply: {time: int, tenant: fields}?
--   nil if the tenant does not exist
--   time: Redis's clock, epoch ms
--   tenant: the hash

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
