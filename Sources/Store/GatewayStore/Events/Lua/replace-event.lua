-- replace-event (writes)
--
-- Takes an entry out of a stream, and puts what stays of it at the end.
--
-- KEYS
--   event_stream
-- ARGV
--   entry
--   id: the event's
--   type
--   time: epoch ms
--   data: '' when nothing stays
-- Reply: 1, or 0 when it is not there

if redis.call('XDEL', event_stream, entry) == 0 then return 0 end
if data ~= '' then redis.call('XADD', event_stream, '*', 'id', id, 'type', type, 'timestamp', time, 'data', data) end
return 1
