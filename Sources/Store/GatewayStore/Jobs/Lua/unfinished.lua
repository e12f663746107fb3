-- unfinished (part)
--
-- Counts by tenant the broadcasts of a shard that have not ended. Each is counted and subtracted once, because the hash
-- `owners` has its tenant. The hash `counts` has the numbers. If Redis refuses the second of two writes, the first is
-- taken back, and the last call repeats the error.

local function count_for(owners, counts, member, tenant)
    if redis.call('HSETNX', owners, member, tenant) == 0 then return end
    local count = redis.pcall('HINCRBY', counts, tenant, 1)
    if type(count) == 'number' then return end
    redis.call('HDEL', owners, member)
    redis.call('HINCRBY', counts, tenant, 1)
end

local function take_off(owners, counts, member)
    local tenant = redis.call('HGET', owners, member)
    if not tenant then return end
    local left = redis.call('HINCRBY', counts, tenant, -1)
    local gone = redis.pcall('HDEL', owners, member)
    if type(gone) ~= 'number' then
        redis.call('HINCRBY', counts, tenant, 1)
        redis.call('HDEL', owners, member)
    end
    if left <= 0 then redis.call('HDEL', counts, tenant) end
end
