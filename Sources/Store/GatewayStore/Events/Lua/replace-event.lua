-- replace-event (writes)
--
-- Removes an entry from a stream, and appends its replacement.
--
-- KEYS
--   stream: one of the two
--   event_stream
-- ARGV
--   entry
--   id: the event's
--   type
--   time: epoch ms
--   data: '' for no replacement
-- Reply: flag (false if the entry does not exist)
-- Includes: event-places, write-rights

require_writes(stream, 'XADD')
if redis.call('XDEL', stream, entry) == 0 then return 0 end
if data ~= '' then
    local place = stream == event_stream and '*' or next_place(event_stream)
    redis.call('XADD', stream, place, 'id', id, 'type', type, 'timestamp', time, 'data', data)
end
return 1
