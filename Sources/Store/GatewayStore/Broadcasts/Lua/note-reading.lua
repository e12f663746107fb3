-- note-reading (writes)
--
-- Reads a page for an update, and records the slots with a token.
--
-- KEYS
--   update_page
--   status_page
--   reading: record of the page's last reading
-- ARGV
--   order: order number of the update
--   expires_at: of the record, epoch ms
-- Reply: {update_page: bytes, status_page: bytes}
-- Includes: pages

local update_page, status_page = unpack(open_pages({ update_page, status_page }))
local tokens, statuses = read_page(update_page) or '', read_page(status_page) or ''
local noted = redis.call('GETRANGE', reading, 0, 3)
if #noted == 4 and struct.unpack('<I4', noted) > tonumber(order) then return { tokens, statuses } end
local width, bits = string.byte(tokens, 1) or 0, {}
for first = 0, width > 0 and #statuses - 1 or -1, 8 do
    local byte = 0
    for index = first, first + 7 do
        local length = string.byte(tokens, 2 + index * width) or 0
        byte = byte * 2 + (length > 0 and 1 or 0)
    end
    bits[#bits + 1] = string.char(byte)
end
redis.call('SET', reading, struct.pack('<I4', order) .. table.concat(bits), 'PXAT', expires_at)
return { tokens, statuses }
