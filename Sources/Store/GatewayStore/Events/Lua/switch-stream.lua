-- switch-stream (writes)
--
-- Switches the stream on or off.
--
-- KEYS
--   settings: the tenant's
--   event_stream
-- ARGV
--   on: '1' or '0'
-- Reply: flag
-- Includes: event-switch

redis.call('HSET', settings, 'stream', on)
switch(settings)
return 1
