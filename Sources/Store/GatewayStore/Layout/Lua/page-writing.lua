-- page-writing (part)
--
-- Writes pages of slots, in fields or in keys of their own.
-- Includes: pages

-- Replaces a page that is in a field. A page that is too long for it moves to its key.
local function rewrite(page, content)
    if #content <= LIMIT.short_page then
        redis.call('HSET', page.counters, page.field, content)
        page.short = content
        return
    end
    redis.call('SET', page.key, content)
    local left = redis.call('PTTL', page.counters)
    if left > 0 then redis.call('PEXPIRE', page.key, left) end
    redis.call('HDEL', page.counters, page.field)
    page.short = false
end

-- True if a missing page may begin in a field, because its delivery statuses are in one.
local function may_be_short(page)
    return redis.call('HEXISTS', page.counters, 'f' .. string.sub(page.field, 2)) == 1
end

-- Writes a whole page. `is_field`: true if it may begin in a field in any case.
local function put_page(page, content, expires_at, is_field)
    if page.short then
        rewrite(page, content)
    elseif page.has_key or #content > LIMIT.short_page or not (is_field or may_be_short(page)) then
        redis.call('SET', page.key, content, 'PXAT', expires_at)
    else
        rewrite(page, content)
        redis.call('PEXPIREAT', page.counters, expires_at)
    end
end

-- Writes a part of an existing page, like SETRANGE.
local function write_range(page, first, bytes)
    local is = page.short
    if not is then
        redis.call('SETRANGE', page.key, first, bytes)
    elseif bytes ~= '' then
        is = is .. string.rep('\0', first - #is)
        rewrite(page, string.sub(is, 1, first) .. bytes .. string.sub(is, first + #bytes + 1))
    end
end

-- Lets a page expire at a time. A field cannot expire by itself, so it is deleted at once.
local function forget_page(page, at)
    if not page.short then
        redis.call('PEXPIREAT', page.key, at)
    else
        redis.call('HDEL', page.counters, page.field)
        page.short = false
    end
end
