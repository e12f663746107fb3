-- read-cells (reads)
--
-- Reads cells of a token page together with the delivery statuses of their slots.
--
-- KEYS
--   token_page
--   status_page
-- ARGV
--   indexes...
-- Reply: [bytes]
--   two for each index: status and content, or status .. reason and '' if the cell has no content. Status and reason
--   are one byte each.
-- Includes: cells

local reply = {}
local token_page, status_page = unpack(open_pages({ token_page, status_page }))
local width = width_of(token_page) or 0
-- Reads a whole page for many cells, because the number of calls determines the cost.
local page = #ARGV > 16 and (read_page(token_page) or '')
local statuses = #ARGV > 16 and (read_page(status_page) or '')
for position, index in ipairs(ARGV) do
    index = tonumber(index)
    local start = 1 + index * width
    local cell = ''
    local status
    if page then
        cell = string.sub(page, start + 1, start + width)
    elseif width > 0 then
        cell = read_range(token_page, start, start + width - 1)
    end
    if statuses then
        status = string.sub(statuses, index + 1, index + 1)
    else
        status = read_range(status_page, index, index)
    end
    if status == '' then status = '\0' end
    local length = string.byte(cell, 1) or 0
    if length > 0 then
        reply[position * 2 - 1] = status
        reply[position * 2] = string.sub(cell, 2, 1 + length)
    else
        reply[position * 2 - 1] = status .. string.char(string.byte(cell, 2) or 0)
        reply[position * 2] = ''
    end
end
return reply
