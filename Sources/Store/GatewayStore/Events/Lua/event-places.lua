-- event-places (part)
--
-- A tenant's events have two streams and one order. Redis gives out the ids of the first stream; an event of the second
-- one takes its id there and leaves nothing behind.

local function next_place(event_stream)
    local place = redis.call('XADD', event_stream, '*', 'place', '')
    redis.call('XDEL', event_stream, place)
    return place
end
