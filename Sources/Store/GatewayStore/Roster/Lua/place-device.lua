-- place-device (writes)
--
-- Fills a slot with a device that shows its Live Activity already. Pages grow in steps and are written anew then, so
-- that they take little more memory than they need.
--
-- KEYS
--   status_page
--   update_page
--   identities
-- ARGV
--   index
--   expires_at: epoch ms
--   status: a byte
--   identity
-- Reply: flag (false if the slot was filled before)
-- Includes: identities

local index = tonumber(index)
local status_page, update_page, identities = unpack(open_pages({ status_page, update_page, identities }))
local length = length_of(status_page)
if index >= length then
    local size = 1
    while size <= index do size = size * 4 end
    size = math.min(size, SIZE.slots_per_page)
    put_page(status_page, (read_page(status_page) or '') .. string.rep('\0', size - length), expires_at,
        true)
    local tokens = read_page(update_page)
    if tokens then
        local width = string.byte(tokens, 1)
        local missing = math.max(0, 1 + width * size - #tokens)
        put_page(update_page, tokens .. string.rep('\0', missing), expires_at)
    end
end
if read_range(status_page, index, index) ~= '\0' then return 0 end
put_run(identities, index, identity, expires_at)
write_range(status_page, index, status)
return 1
