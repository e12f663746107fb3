-- progress (part)
--
-- The progress of a broadcast in a partition, in a hash beside the partition's pages. So a page's outcomes, counts and
-- checkpoint are one step. Its fields include:
--
-- - `owner`: the hold of the job that began last
-- - `pages`: a character for each page, see `PageProgress`
-- - `doubt`: the open pages of an update or end that may have been sent in part, see `PageDoubt`

local function state_of(key, index)
    local pages = redis.call('HGET', key, 'pages') or string.rep(PAGE.open, SIZE.pages_per_partition)
    return string.sub(pages, index + 1, index + 1), pages
end

local function set_state(key, pages, index, state)
    redis.call('HSET', key, 'pages', string.sub(pages, 1, index) .. state .. string.sub(pages, index + 2))
end

-- The owner of a start's partition; nil if it is closed or the broadcast has ended.
local function owner_of(key)
    local is = redis.call('HMGET', key, 'owner', 'closed')
    return not is[2] and is[1] or nil
end
