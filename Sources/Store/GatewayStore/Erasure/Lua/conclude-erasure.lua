-- conclude-erasure (writes)
--
-- Drops what was set aside. Of its tokens the digests stay for the closing look, with who they were of.
--
-- KEYS
--   aside: the erasure's
-- ARGV
--   kept: ms
--   fields...(2): for the closing look, and their values
-- Reply: 1

redis.call('DEL', aside)
if #ARGV >= fields_at then
    redis.call('HSET', aside, unpack(ARGV, fields_at))
    redis.call('PEXPIRE', aside, kept)
end
return 1
