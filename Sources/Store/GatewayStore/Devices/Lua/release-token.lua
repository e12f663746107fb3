-- release-token (writes)
--
-- Removes the owner of a token from its entry. The newest former owner, if any, becomes the owner again.
--
-- KEYS
--   bucket
-- ARGV
--   field
--   latest: the latest report time to release, in six bytes, '' for any
--   by: the owner
-- Reply: flag (false if another device is the owner, the report is later, or the bucket lacks the token)
-- Includes: report-times

local is = redis.call('HGET', bucket, field)
if not is then return 0 end
local length = string.byte(is, 7)
local owner, formers = string.sub(is, 8, 7 + length), string.sub(is, 8 + length)
if owner ~= by then return 0 end
local last = string.byte(is, 6)
-- The mark means that the time is of a later owner's report, not of this owner's.
local is_owners = last < 64
if is_owners and latest ~= '' and time_of(is, 1) > time_of(latest, 1) then return 0 end
if formers == '' then return redis.call('HDEL', bucket, field) end
redis.call('HSET', bucket, field, string.sub(is, 1, 5) .. string.char(last % 64 + 64) .. formers)
return 1
