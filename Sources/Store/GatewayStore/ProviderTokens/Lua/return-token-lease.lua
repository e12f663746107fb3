-- return-token-lease (writes)
--
-- Gives the lease on getting an account's next token back, unless it is another one's by now.
--
-- KEYS
--   lease
-- ARGV
--   holder: whoever took it
-- Reply: 1 when it is free now, 0 when it is another one's or nobody's

if redis.call('GET', lease) ~= holder then return 0 end
return redis.call('DEL', lease)
