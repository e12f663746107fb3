-- event-places (part)
--
-- A tenant's events have two streams and one order. An event of the second stream takes its id from the first one, and
-- leaves no entry there.

local function next_place(event_stream)
    local place = redis.call('XADD', event_stream, '*', 'place', '')
    redis.call('XDEL', event_stream, place)
    return place
end
