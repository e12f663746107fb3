-- find-deliveries-of-user (reads)
--
-- Finds the events with a text in a part of a webhook's list.
--
-- KEYS
--   list: pending events or dead letters
-- ARGV
--   event_prefix: key prefix of events
--   first: position in the list
--   last: position in the list
--   text
-- Reply: {count: int, found: fields}
--   count: events read
--   found: id and data of each event with the text

local ids = redis.call('ZRANGE', list, first, last)
local found = {}
for _, id in ipairs(ids) do
    local data = redis.call('HGET', event_prefix .. id, 'data')
    if data and string.find(data, text, 1, true) then
        found[#found + 1] = id
        found[#found + 1] = data
    end
end
return { #ids, found }
