-- identities (part)
--
-- Writes the identities of a page's slots: runs by their first index. Short identities are one field of the partition's
-- counters: for each run the index (two bytes), the length (one byte) and the run. Longer ones are a hash.
-- Includes: page-writing

local function runs_of(short)
    local runs, position = {}, 1
    while position + 2 <= #short do
        local first, length = struct.unpack('<I2B', short, position)
        runs[#runs + 1] = { first, string.sub(short, position + 3, position + 2 + length) }
        position = position + 3 + length
    end
    return runs
end

-- Returns nil if the run does not exist.
local function find_run(page, first)
    if not page.short then return redis.call('HGET', page.key, first) or nil end
    for _, run in ipairs(runs_of(page.short)) do
        if run[1] == tonumber(first) then return run[2] end
    end
end

local function put_run(page, first, run, expires_at)
    first = tonumber(first)
    local runs, is_there = runs_of(page.short or ''), false
    for _, other in ipairs(runs) do
        if other[1] == first then other[2], is_there = run, true end
    end
    if not is_there then runs[#runs + 1] = { first, run } end
    local parts, size = {}, 0
    for place, other in ipairs(runs) do
        size = size + 3 + #other[2]
        parts[place] = #other[2] < 256 and struct.pack('<I2B', other[1], #other[2]) .. other[2] or ''
    end
    if size <= LIMIT.short_page and (page.short or redis.call('EXISTS', page.key) == 0 and may_be_short(page)) then
        put_page(page, table.concat(parts), expires_at, true)
        return
    end
    for _, other in ipairs(runs) do redis.call('HSET', page.key, other[1], other[2]) end
    redis.call('PEXPIREAT', page.key, expires_at)
    if page.short then
        redis.call('HDEL', page.counters, page.field)
        page.short = false
    end
end
