-- pages (part)
--
-- Reads pages of slots. A short page is a field of its partition's counters, which saves a key. A page that becomes too
-- long moves to a key of its own and does not return. If both exist, the field counts.
--
-- A page is a table: its key, the key of the counters, its field there, and `short`, the content if it is in the field.

-- Returns the key of the counters of a page's partition, and the page's field in them.
local function place_of(key)
    local partition, kind, number = string.match(key, '^(.*:)(%l):(%d+)$')
    return partition .. 'c', kind .. number % SIZE.pages_per_partition
end

-- Opens pages of one partition, and reads other fields of its counters in the same step.
local function open_pages(keys, others)
    local pages, fields, counters = {}, {}, nil
    for place, key in ipairs(keys) do
        counters, fields[place] = place_of(key)
        pages[place] = { key = key, counters = counters, field = fields[place] }
    end
    for place, name in ipairs(others or {}) do fields[#keys + place] = name end
    local values = redis.call('HMGET', counters, unpack(fields))
    for place, page in ipairs(pages) do page.short = values[place] end
    if not others then return pages end
    return pages, { unpack(values, #keys + 1, #fields) }
end

-- Returns nil if the page does not exist.
local function read_page(page)
    if page.short then return page.short end
    local content = redis.call('GET', page.key)
    page.has_key = content and true
    return content or nil
end

local function length_of(page)
    if page.short then return #page.short end
    return redis.call('STRLEN', page.key)
end

-- Reads bytes of a page, like GETRANGE.
local function read_range(page, first, last)
    if page.short then return string.sub(page.short, first + 1, last < 0 and last or last + 1) end
    return redis.call('GETRANGE', page.key, first, last)
end
