-- replace-event (writes)
--
-- Takes an entry out of a stream, and puts what stays of it at the end.
--
-- KEYS
--   stream: one of the two
--   event_stream
-- ARGV
--   entry
--   id: the event's
--   type
--   time: epoch ms
--   data: '' when nothing stays
-- Reply: 1, or 0 when it is not there
-- Includes: event-places

if redis.call('XDEL', stream, entry) == 0 then return 0 end
if data ~= '' then
    local place = stream == event_stream and '*' or next_place(event_stream)
    redis.call('XADD', stream, place, 'id', id, 'type', type, 'timestamp', time, 'data', data)
end
return 1
