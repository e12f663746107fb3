-- cells (part)
--
-- Reads token pages: see `TokenPage` for the form of a page.

local function width_of(key)
    return string.byte(redis.call('GETRANGE', key, 0, 0))
end

-- The content of a cell: '' and the reason when it has none, nil when the page is not there; and the page's width.
local function read_cell(key, index)
    local width = width_of(key)
    if not width then return nil, 0 end
    local start = 1 + index * width
    local cell = redis.call('GETRANGE', key, start, start + width - 1)
    local length = string.byte(cell, 1) or 0
    if length == 0 then return '', string.byte(cell, 2) or 0, width end
    return string.sub(cell, 2, 1 + length), 0, width
end
