-- cell-writing (part)
--
-- Writes cells of token pages.
-- Includes: cells, page-writing

-- Returns the cells padded from the old width to a greater one.
local function widened(cells, old, new)
    local parts = {}
    local padding = string.rep('\0', new - old)
    for start = 1, #cells, old do
        parts[#parts + 1] = string.sub(cells, start, start + old - 1)
        parts[#parts + 1] = padding
    end
    return table.concat(parts)
end

-- Writes one cell. A missing page is created with cells for all slots that have a delivery status, because Redis
-- overallocates a value that grows. The caller passes the width if it has read the page.
local function write_cell(page, index, cell, statuses, expires_at, width)
    width = width or width_of(page)
    if not width then
        local before, behind = index, math.max(length_of(statuses) - index - 1, 0)
        put_page(page, string.char(#cell) .. string.rep('\0', #cell * before) .. cell
            .. string.rep('\0', #cell * behind), expires_at)
        return
    end
    if #cell > width then
        local content = string.char(#cell) .. widened(read_range(page, 1, -1), width, #cell)
        width = #cell
        if page.short then
            rewrite(page, content)
        else
            redis.call('SET', page.key, content, 'KEEPTTL')
        end
    end
    write_range(page, 1 + index * width, cell .. string.rep('\0', width - #cell))
end
