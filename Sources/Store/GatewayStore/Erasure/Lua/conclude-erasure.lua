-- conclude-erasure (writes)
--
-- Deletes the set-aside data, and closes the erasure. The digests of its tokens stay with their owners for the closing
-- check.
--
-- KEYS
--   aside: the erasure's
--   open: the user's erasures
-- ARGV
--   kept: ms
--   item: of the due queue
--   fields...(2): for the closing check, and their values
-- Reply: flag (always true)
-- Includes: in-slices

redis.call('DEL', aside)
redis.call('HDEL', open, item)
if #ARGV >= fields_at then
    local fields = {}
    for index = fields_at, #ARGV do fields[#fields + 1] = ARGV[index] end
    in_slices(fields, function(...) redis.call('HSET', aside, ...) end)
    redis.call('PEXPIRE', aside, kept)
end
return 1
