-- add-start-cells (writes)
--
-- Fills consecutive slots of a page with the push-to-start tokens of devices that join a registered activity, and
-- writes their identities. Writes the page and the delivery statuses whole, so that they take no extra memory.
--
-- KEYS
--   start_page
--   status_page
--   identities
--   counters
-- ARGV
--   first: index
--   width: of a cell
--   cells
--   status: of each slot, a byte
--   run: of identities
--   expires_at: epoch ms
-- Reply: int (the number of cells written)
-- Includes: cell-writing, identities, write-rights

local first, width, cells = tonumber(first), tonumber(width), cells
local count = #cells / width
local start_page, status_page, identities = unpack(open_pages({ start_page, status_page, identities }))
local page = read_page(start_page) or string.char(width)
local is = string.byte(page, 1)
if is < width then
    page = string.char(width) .. widened(string.sub(page, 2), is, width)
elseif is > width then
    cells = widened(cells, width, is)
    width = is
end
local start = 1 + first * width
page = page .. string.rep('\0', start - #page)
local before, after = 0, 0
for offset = 1, #cells, width do
    if string.byte(cells, offset) > 0 then after = after + 1 end
    if (string.byte(page, start + offset) or 0) > 0 then before = before + 1 end
end
page = string.sub(page, 1, start) .. cells .. string.sub(page, start + #cells + 1)
local statuses = read_page(status_page) or ''
statuses = statuses .. string.rep('\0', first - #statuses)
statuses = string.sub(statuses, 1, first) .. string.rep(status, count) .. string.sub(statuses, first + count + 1)
require_writes(counters, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET')
put_page(status_page, statuses, expires_at, true)
put_page(start_page, page, expires_at)
put_run(identities, first, run, expires_at)
redis.call('HINCRBY', counters, 'startable', after - before)
redis.call('PEXPIREAT', counters, expires_at)
return count
