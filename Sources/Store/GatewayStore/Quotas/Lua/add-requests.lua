-- add-requests (writes)
--
-- Adds requests to those of the last minute, which all gateways count together: the seconds in which some came, each
-- with how many. They count whatever comes of it, for they have been let in.
--
-- KEYS
--   requests
-- ARGV
--   count
--   limit: requests in a window
--   window: ms
-- Reply: ms for which none is to be let in, 0 as long as the limit is not reached

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local second, window = math.floor(now / 1000), tonumber(window)
local seconds, counts, sum = {}, {}, 0
for at, number in string.gmatch(redis.call('GET', requests) or '', '(%d+):(%d+)') do
    at, number = tonumber(at), tonumber(number)
    -- What is ahead is from before the clock was set back.
    if (at + 1) * 1000 > now - window and at <= second then
        seconds[#seconds + 1], counts[#counts + 1] = at, number
        sum = sum + number
    end
end
if seconds[#seconds] ~= second then seconds[#seconds + 1], counts[#counts + 1] = second, 0 end
counts[#counts] = counts[#counts] + tonumber(count)
sum = sum + tonumber(count)
local parts = {}
for index = 1, #seconds do parts[index] = string.format('%.0f:%.0f', seconds[index], counts[index]) end
redis.call('SET', requests, table.concat(parts, ' '), 'PX', window + 1000)
local limit, index = tonumber(limit), 0
while sum >= limit and index < #seconds do
    index = index + 1
    sum = sum - counts[index]
end
if index == 0 then return 0 end
return math.max(1, (seconds[index] + 1) * 1000 + window - now)
