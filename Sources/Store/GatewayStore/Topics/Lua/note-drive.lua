-- note-drive (writes)
--
-- Writes a field of the driver's progress.
--
-- KEYS
--   topic
-- ARGV
--   driver: token of the caller
--   field
--   value: '' to delete it
-- Reply: flag (false if the caller does not drive the topic)

if redis.call('HGET', topic, 'driver') ~= driver then return 0 end
if value == '' then
    redis.call('HDEL', topic, field)
else
    redis.call('HSET', topic, field, value)
end
return 1
