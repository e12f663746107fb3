-- delete-field (writes)
--
-- Deletes a field of a hash if it still has the value that was read.
--
-- KEYS
--   hash
-- ARGV
--   field
--   value
-- Reply: flag (false if the field has another value)

if redis.call('HGET', hash, field) ~= value then return 0 end
return redis.call('HDEL', hash, field)
