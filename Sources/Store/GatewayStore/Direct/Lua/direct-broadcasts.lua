-- direct-broadcasts (part)
--
-- Updates to few devices that the gateway which records them sends at once. This takes some milliseconds. Until then
-- the update is one field of a hash of the shard, by its activity. Its value has the end and the name of its hold, its
-- id, and the fields of its record. The hold's gateway writes the record when the update has ended.
--
-- A script that needs to find the update earlier *shows* it. The update then has a record, and is among the activity's
-- open and the shard's unfinished broadcasts. It lacks only a job, which it gets when it is given back or its hold
-- expires.
-- Includes: unfinished, add-job, write-rights

-- The parts of a value: epoch ms, hold, id, '+' if it is shown or '-', and the packed rest.
local function parts_of(value)
    return string.match(value, '^(%d+) (%S+) (%S+) ([+-])(.*)$')
end

local function value_of(held_until, hold, id, mark, packed)
    return held_until .. ' ' .. hold .. ' ' .. id .. ' ' .. mark .. packed
end

-- The packed parts are the record's expiry, the order number, the tenant, the partition, and the record's fields.
local function show(direct, activity, activity_id, value, unfinished, owners, counts)
    local held_until, hold, id, mark, packed = parts_of(value)
    local is = cmsgpack.unpack(packed)
    if mark == '+' then return id, is[4] end
    local kept_until, order, tenant, broadcast = is[1], is[2], is[3], activity .. ':b:' .. id
    redis.call('HSET', broadcast, unpack(is, 5))
    redis.call('PEXPIREAT', broadcast, kept_until)
    redis.call('HSET', activity .. ':open', order, id .. ':update:whole')
    redis.call('PEXPIREAT', activity .. ':open', kept_until)
    redis.call('HDEL', activity, 'settled', 'indexed')
    redis.call('ZADD', unfinished, kept_until, activity_id .. ':' .. id)
    count_for(owners, counts, activity_id .. ':' .. id, tenant)
    redis.call('HSET', direct, activity_id, value_of(held_until, hold, id, '+', packed))
    return id, is[4]
end

-- Shows the update of an activity, if there is one. Returns 1 if there is, else 0.
local function show_of(direct, activity, activity_id, unfinished, owners, counts)
    local value = redis.call('HGET', direct, activity_id)
    if value then show(direct, activity, activity_id, value, unfinished, owners, counts) end
    return value and 1 or 0
end

-- Adds a job for the update and ends its hold. Drops the update if its activity no longer exists.
local function give_back(direct, activity, activity_id, value, stream, unfinished, owners, counts)
    -- A job must not be added again.
    require_writes(direct, 'HDEL')
    if redis.call('EXISTS', activity) == 1 then
        local id, part = show(direct, activity, activity_id, value, unfinished, owners, counts)
        add_job(stream, id, activity_id, part)
    end
    redis.call('HDEL', direct, activity_id)
end
