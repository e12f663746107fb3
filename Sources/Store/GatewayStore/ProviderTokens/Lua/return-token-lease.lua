-- return-token-lease (writes)
--
-- Releases the lease on getting an account's next token, if the holder still has it.
--
-- KEYS
--   lease
-- ARGV
--   holder: id of the gateway that acquired it
-- Reply: flag (true if the lease was released)

if redis.call('GET', lease) ~= holder then return 0 end
return redis.call('DEL', lease)
