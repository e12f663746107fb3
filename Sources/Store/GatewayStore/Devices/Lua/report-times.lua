-- report-times (part)
--
-- Compares report times.

-- Returns the epoch ms of six bytes, little-endian, whose two highest bits are marks.
local function time_of(value, at)
    local a, b, c, d, e, f = string.byte(value, at, at + 5)
    if not f then return 0 end
    return a + 256 * (b + 256 * (c + 256 * (d + 256 * (e + 256 * (f % 64)))))
end

-- True if the stored report is later. Ignores a time more than a minute ahead of Redis's clock, because a wrong clock
-- would otherwise block all reports.
local function is_newer(value, at, reported)
    local stored = time_of(value, at)
    return stored > reported and stored <= redis.call('TIME')[1] * 1000 + 61000
end

-- True if a report is so old that erasures since then may be forgotten. Uses Redis's clock, because the sender may have
-- been suspended after any check of its own.
local function is_too_old(reported, life)
    return life ~= '' and redis.call('TIME')[1] * 1000 > reported + tonumber(life)
end
