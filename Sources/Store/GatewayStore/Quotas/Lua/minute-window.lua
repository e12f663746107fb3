-- minute-window (part)
--
-- A sliding window of counts, as text: each second with a count, as `second:count`, separated by blanks.

local function now_ms()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Returns the text with `count` added, the sum of the window, and the ms until the sum is below the limit. The last is
-- 0 if it already is, or if the limit is 0.
local function add_to_window(text, count, limit, window, now)
    local second, seconds, counts, sum = math.floor(now / 1000), {}, {}, 0
    for at, number in string.gmatch(text, '(%d+):(%d+)') do
        at, number = tonumber(at), tonumber(number)
        -- Seconds in the future are from before the clock was set back.
        if (at + 1) * 1000 > now - window and at <= second then
            seconds[#seconds + 1], counts[#counts + 1] = at, number
            sum = sum + number
        end
    end
    if count > 0 then
        if seconds[#seconds] ~= second then seconds[#seconds + 1], counts[#counts + 1] = second, 0 end
        counts[#counts] = counts[#counts] + count
        sum = sum + count
    end
    local parts = {}
    for index = 1, #seconds do parts[index] = string.format('%.0f:%.0f', seconds[index], counts[index]) end
    local left, index = sum, 0
    while limit > 0 and left >= limit and index < #seconds do
        index = index + 1
        left = left - counts[index]
    end
    local wait = index > 0 and math.max(1, (seconds[index] + 1) * 1000 + window - now) or 0
    return table.concat(parts, ' '), sum, wait
end
