-- read-events (reads)
--
-- Reads the next events of a tenant from both streams in order. One script, because separate reads could miss an event
-- that is recorded in between.
--
-- KEYS
--   event_stream
--   device_stream
-- ARGV
--   after: an entry's id
--   count: limit of events
-- Reply: [{entry: text, event: fields}]

local function numbers(entry)
    local ms, number = string.match(entry[1], '^(%d+)%-(%d+)$')
    return tonumber(ms), tonumber(number)
end

local function is_before(entry, other)
    local ms, number = numbers(entry)
    local other_ms, other_number = numbers(other)
    return ms < other_ms or (ms == other_ms and number < other_number)
end

local all = redis.call('XRANGE', event_stream, '(' .. after, '+', 'COUNT', count)
local of_devices = redis.call('XRANGE', device_stream, '(' .. after, '+', 'COUNT', count)
if #of_devices == 0 then return all end
local reply, next_one, next_of_devices = {}, 1, 1
while #reply < tonumber(count) do
    local entry, other = all[next_one], of_devices[next_of_devices]
    if entry and (not other or is_before(entry, other)) then
        reply[#reply + 1] = entry
        next_one = next_one + 1
    elseif other then
        reply[#reply + 1] = other
        next_of_devices = next_of_devices + 1
    else
        break
    end
end
return reply
