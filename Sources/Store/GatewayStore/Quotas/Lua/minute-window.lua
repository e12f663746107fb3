-- minute-window (part)
--
-- What came within a window of time, as text: the seconds in which something did, each with how many.

local function now_ms()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The text with so many more, how many there are in the window, and for how many ms the limit is reached: 0 when it is
-- not, or when there is none.
local function add_to_window(text, count, limit, window, now)
    local second, seconds, counts, sum = math.floor(now / 1000), {}, {}, 0
    for at, number in string.gmatch(text, '(%d+):(%d+)') do
        at, number = tonumber(at), tonumber(number)
        -- What is ahead is from before the clock was set back.
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
