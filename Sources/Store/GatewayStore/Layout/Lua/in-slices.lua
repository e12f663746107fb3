-- in-slices (part)
--
-- For what has as many values as somebody outside has made.

-- Calls `write` with so many of the values at a time. Lua passes on at most 8,000 at once, and when a script fails for
-- that, what it has written stays.
local function in_slices(values, write)
    for first = 1, #values, 1000 do write(unpack(values, first, math.min(first + 999, #values))) end
end
