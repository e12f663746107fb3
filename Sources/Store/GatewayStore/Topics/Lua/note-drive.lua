-- note-drive (writes)
--
-- Notes something of how far the driver of a topic is.
--
-- KEYS
--   topic
-- ARGV
--   driver: token of the caller
--   field
--   value: '' to forget it
-- Reply: 1, or 0 when the caller does not drive the topic

if redis.call('HGET', topic, 'driver') ~= driver then return 0 end
if value == '' then
    redis.call('HDEL', topic, field)
else
    redis.call('HSET', topic, field, value)
end
return 1
