-- release-token (writes)
--
-- Forgets a token that its owner has no more.
--
-- KEYS
--   bucket
-- ARGV
--   field
--   latest: a time in six bytes, '' for any
--   spelling: of the owner
--   other_spelling
-- Reply: 1, or 0 when it is not the owner's, was reported later, or is nowhere in the bucket
-- Includes: report-times

local is = redis.call('HGET', bucket, field)
if not is or latest ~= '' and time_of(is, 1) > time_of(latest, 1) then return 0 end
local owner = string.sub(is, 8)
if owner ~= spelling and owner ~= other_spelling then return 0 end
return redis.call('HDEL', bucket, field)
