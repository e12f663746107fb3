-- progress (part)
--
-- How far a broadcast is in a partition, and who works on it: a hash beside the partition's pages, so that a page's
-- outcomes, counts and checkpoint are one step. `owner` is the hold of the job that began last. `pages` has a character
-- for each page, see `PageProgress`. `doubt` says which open pages of an update or end may have been sent in part, see
-- `PageDoubt`.

local function state_of(key, index)
    local pages = redis.call('HGET', key, 'pages') or string.rep(PAGE.open, SIZE.pages_per_partition)
    return string.sub(pages, index + 1, index + 1), pages
end

local function set_state(key, pages, index, state)
    redis.call('HSET', key, 'pages', string.sub(pages, 1, index) .. state .. string.sub(pages, index + 2))
end

-- Who works on a start's partition; nil when it is closed, or the broadcast has ended.
local function owner_of(key)
    local is = redis.call('HMGET', key, 'owner', 'closed')
    return not is[2] and is[1] or nil
end
