-- close-start (writes)
--
-- Closes a partition of a start whose pages are all done. Later reports amend the broadcast's record. A page whose
-- devices were released late is open again.
--
-- KEYS
--   progress
-- ARGV
--   owner
--   places: indexes of the pages, a byte each
--   status_prefix: key prefix of status pages
--   first_page: first page of the partition
-- Reply: bytes (the states of all pages, '' if the partition is now closed)
-- Includes: progress, pages

for _, field in ipairs(redis.call('HKEYS', progress)) do
    local slot = string.match(field, '^r(%d+)$')
    if slot then
        local page = math.floor(slot / SIZE.slots_per_page)
        local index = slot % SIZE.slots_per_page
        local status_page = unpack(open_pages({ status_prefix .. string.format('%.0f', page) }))
        if read_range(status_page, index, index) == STATUS_BYTE.registered then
            local state, pages = state_of(progress, page - first_page)
            if state == PAGE.done then set_state(progress, pages, page - first_page, PAGE.open_again) end
        end
        redis.call('HDEL', progress, field)
    end
end
local states = redis.call('HGET', progress, 'pages') or PAGE.open
for place = 1, #places do
    local page = string.byte(places, place) + 1
    if string.sub(states, page, page) ~= PAGE.done then return states end
end
if redis.call('HGET', progress, 'owner') == owner then redis.call('HSET', progress, 'closed', 1) end
return ''
