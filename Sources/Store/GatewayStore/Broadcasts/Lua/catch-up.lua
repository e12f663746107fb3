-- catch-up (part)
--
-- Activities with `catch_up` keep the content of their newest update to the whole segment, for devices that report
-- their token later. To avoid sending it twice, each reading of a page for an update is recorded beside the page. The
-- record has the update's order number in four bytes, and a bit for each slot that held a token. Writing a token clears
-- the slot's bit. Reading a page and writing a token are one step each, so the bit is exact.
-- Includes: ended-broadcasts

-- Releases the update kept so far, and keeps the content of this broadcast if it is an update. The parameter `is` has
-- the activity's fields.
local function keep_for_catch_up(activity, is, id, order, is_update)
    local newest = is.newest_update
    if newest then
        local broadcast = activity .. ':b:' .. newest
        local state = redis.call('HGET', broadcast, 'state')
        if state ~= BROADCAST.queued and state ~= BROADCAST.running then fold_record(broadcast) end
        redis.call('HDEL', activity, 'newest_update', 'newest_order')
    end
    if is.catch_up and is_update then redis.call('HSET', activity, 'newest_update', id, 'newest_order', order) end
end
