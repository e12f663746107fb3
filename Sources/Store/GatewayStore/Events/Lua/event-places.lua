-- event-places (part)
--
-- A common order for a tenant's two streams. An event of the second stream takes its id from the first, and leaves no
-- entry there.

local function next_place(event_stream)
    local place = redis.call('XADD', event_stream, '*', 'place', '')
    redis.call('XDEL', event_stream, place)
    return place
end
