-- cell-writing (part)
--
-- Writes cells of token pages.
-- Includes: cells

-- Cells of one width after another, rewritten to a greater one.
local function widened(cells, old, new)
    local parts = {}
    local padding = string.rep('\0', new - old)
    for start = 1, #cells, old do
        parts[#parts + 1] = string.sub(cells, start, start + old - 1)
        parts[#parts + 1] = padding
    end
    return table.concat(parts)
end

-- A page that is not there is made with cells for all slots that have a delivery status: to a value that grows Redis
-- gives up to twice the memory that it needs. Whoever has read from the page hands over its width.
local function write_cell(key, index, cell, statuses, expires_at, width)
    width = width or width_of(key)
    if not width then
        width = #cell
        local cells = string.rep('\0', width * math.max(redis.call('STRLEN', statuses), index + 1))
        redis.call('SET', key, string.char(width) .. cells, 'PXAT', expires_at)
    elseif #cell > width then
        local cells = widened(redis.call('GETRANGE', key, 1, -1), width, #cell)
        width = #cell
        redis.call('SET', key, string.char(width) .. cells, 'KEEPTTL')
    end
    redis.call('SETRANGE', key, 1 + index * width, cell .. string.rep('\0', width - #cell))
end
