-- due-shares (part)
--
-- Shares of due items. A few due items of a shard are taken by their times. More of them are sorted into a queue for
-- each holder (`…:due:of:HOLDER`), and the holders take turns (`…:due:turns`). A holder is a tenant with one kind of
-- items: `s:` its schedules, `e:` its erasures, `o:` all others.
--
-- A sorted item stays in the due queue with a later time, like an item that was taken. So it comes again if its
-- holder's queue is lost, and an item that left the due queue meanwhile is dropped.

local function holder_of(item, prefix, tenants)
    local tenant = string.match(item, '^[xd]:[^:]*:[^:]*:([^:]*):')
    if tenant then return 'e:' .. tenant end
    tenant = string.match(item, '^y:([^:]*):')
    if tenant then return 'o:' .. tenant end
    local kind, activity = string.match(item, '^(%a):([^:]*)')
    if not activity then return 'o:' end
    if tenants[activity] == nil then tenants[activity] = redis.call('HGET', prefix .. activity, 'tenant') or '' end
    return (kind == 's' and 's:' or 'o:') .. tenants[activity]
end

-- Gives a holder its turn behind all others. One that has a turn already keeps it if `only_new`.
local function give_turn(due, holder, only_new)
    local turns = due .. ':turns'
    if only_new and redis.call('ZSCORE', turns, holder) then return end
    local last = redis.call('ZRANGE', turns, -1, -1, 'WITHSCORES')[2] or '0'
    redis.call('ZADD', turns, string.format('%.0f', last + 1), holder)
    redis.call('PEXPIRE', turns, LIMIT.due_turns_kept)
end

-- Sorts due items with their times into the queues of their holders.
local function sort_due(due, head, again_at, prefix)
    local tenants, seen = {}, {}
    for index = 1, #head, 2 do
        local item = head[index]
        local holder = holder_of(item, prefix, tenants)
        redis.call('ZADD', due .. ':of:' .. holder, 'NX', head[index + 1], item)
        redis.call('ZADD', due, again_at, item)
        seen[holder] = true
    end
    for holder in pairs(seen) do
        redis.call('PEXPIRE', due .. ':of:' .. holder, LIMIT.due_turns_kept)
        give_turn(due, holder, true)
    end
end

-- The first item of a holder that is still in the due queue; nil when it has none left.
local function next_item(due, holder)
    local queue = due .. ':of:' .. holder
    while true do
        local item = redis.call('ZRANGE', queue, 0, 0)[1]
        if not item then return nil end
        redis.call('ZREM', queue, item)
        if redis.call('ZSCORE', due, item) then return item end
    end
end

-- Takes at most `count` items, one of each holder in turn if `has_room` allows the holder. Calls `take` with each item.
local function take_turns(due, count, has_room, take)
    local holders, taken = redis.call('ZRANGE', due .. ':turns', 0, 63), 0
    while #holders > 0 and taken < count do
        local others = {}
        for _, holder in ipairs(holders) do
            if taken == count then break end
            local is_allowed = has_room(holder)
            local item = is_allowed and next_item(due, holder)
            if item then
                take(item, holder)
                taken = taken + 1
                others[#others + 1] = holder
            end
            if item or not is_allowed then
                give_turn(due, holder)
            else
                redis.call('ZREM', due .. ':turns', holder)
            end
        end
        holders = others
    end
end
