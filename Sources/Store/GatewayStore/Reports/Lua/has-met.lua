-- has-met (reads)
--
-- Returns 1 if the fan-out of an update has read, or will read, the page with the slot's present token.
--
-- KEYS
--   reading: record of the page's last reading
-- ARGV
--   order: order number of the update
--   index
--   is_over: '1' if the update's fan-out has ended
-- Reply: flag

local noted = redis.call('GETRANGE', reading, 0, 3)
if #noted < 4 or struct.unpack('<I4', noted) < tonumber(order) then
    -- A running fan-out still reads the page. An ended one was stopped before that.
    return is_over == '1' and 0 or 1
end
return redis.call('GETBIT', reading, 32 + index)
