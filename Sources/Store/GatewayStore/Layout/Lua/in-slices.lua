-- in-slices (part)
--
-- Splits lists of unbounded length for `redis.call`.

-- Calls `write` with at most 1,000 values at a time. `unpack` fails beyond about 8,000 values, and the writes of a
-- failed script remain.
local function in_slices(values, write)
    for first = 1, #values, 1000 do write(unpack(values, first, math.min(first + 999, #values))) end
end
