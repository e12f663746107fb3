-- unfinished (part)
--
-- Counts by tenant the broadcasts of a shard that have not ended. Each is counted and subtracted once, because the hash
-- `owners` has its tenant. The hash `counts` has the numbers.

local function count_for(owners, counts, member, tenant)
    if redis.call('HSETNX', owners, member, tenant) == 1 then redis.call('HINCRBY', counts, tenant, 1) end
end

local function take_off(owners, counts, member)
    local tenant = redis.call('HGET', owners, member)
    if not tenant then return end
    redis.call('HDEL', owners, member)
    if redis.call('HINCRBY', counts, tenant, -1) <= 0 then redis.call('HDEL', counts, tenant) end
end
