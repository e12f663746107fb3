-- report-times (part)
--
-- What the scripts share that compare when something was reported.

-- Epoch ms in six bytes, the low ones first; the two highest bits are marks.
local function time_of(value, at)
    local a, b, c, d, e, f = string.byte(value, at, at + 5)
    if not f then return 0 end
    return a + 256 * (b + 256 * (c + 256 * (d + 256 * (e + 256 * (f % 64)))))
end

-- Whether what is stored was reported later. A time that Redis's own clock will not reach within a minute is from a
-- clock that was wrong, and holds nobody up.
local function is_newer(value, at, reported)
    local stored = time_of(value, at)
    return stored > reported and stored <= redis.call('TIME')[1] * 1000 + 61000
end

-- Whether a report is from so long ago that nobody remembers who has been erased since. By Redis's own clock: whoever
-- sent it may have been held up behind every look of its own.
local function is_too_old(reported, life)
    return life ~= '' and redis.call('TIME')[1] * 1000 > reported + tonumber(life)
end
