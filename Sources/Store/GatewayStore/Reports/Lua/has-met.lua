-- has-met (reads)
--
-- Whether an update has met the token of a slot, or will.
--
-- KEYS
--   reading: note of the page's
-- ARGV
--   order: number of the update
--   index
--   is_over: '1' when its fan-out has ended
-- Reply: 1 or 0

local noted = redis.call('GETRANGE', reading, 0, 3)
if #noted < 4 or struct.unpack('<I4', noted) < tonumber(order) then
    -- The page will still be read; or it never was, because the update was stopped.
    return is_over == '1' and 0 or 1
end
return redis.call('GETBIT', reading, 32 + index)
