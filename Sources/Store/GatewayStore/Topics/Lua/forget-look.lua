-- forget-look (writes)
--
-- A page has been looked at, and nothing was noted of it meanwhile.
--
-- KEYS
--   looks
-- ARGV
--   page
--   count: as it was read
-- Reply: 1, or 0 when something was noted

if redis.call('HGET', looks, page) ~= count then return 0 end
return redis.call('HDEL', looks, page)
