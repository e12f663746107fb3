-- find-deliveries-of-user (reads)
--
-- Reads the events in a part of a webhook's list whose text holds a text.
--
-- KEYS
--   list: waiting events, or dead letters
-- ARGV
--   event_prefix: what the keys of events begin with
--   first: place in the list
--   last: likewise
--   text
-- Reply: {how many were looked at, id, data, id ...}

local ids = redis.call('ZRANGE', list, first, last)
local reply = { #ids }
for _, id in ipairs(ids) do
    local data = redis.call('HGET', event_prefix .. id, 'data')
    if data and string.find(data, text, 1, true) then
        reply[#reply + 1] = id
        reply[#reply + 1] = data
    end
end
return reply
