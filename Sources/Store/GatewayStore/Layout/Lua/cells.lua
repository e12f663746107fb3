-- cells (part)
--
-- Reads token pages: see `TokenPage` for the form of a page.
-- Includes: pages

local function width_of(page)
    return string.byte(read_range(page, 0, 0))
end

-- Returns a cell's content, reason and page width; nil if the page is missing. A cell without content returns '' and,
-- as a fourth value, the eight bytes after the reason.
local function read_cell(page, index)
    local width = width_of(page)
    if not width then return nil, 0 end
    local start = 1 + index * width
    local cell = read_range(page, start, start + width - 1)
    local length = string.byte(cell, 1) or 0
    if length == 0 then return '', string.byte(cell, 2) or 0, width, string.sub(cell, 3, 10) end
    return string.sub(cell, 2, 1 + length), 0, width
end
