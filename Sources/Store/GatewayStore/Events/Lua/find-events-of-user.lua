-- find-events-of-user (reads)
--
-- Reads the next entries of a stream that hold a text.
--
-- KEYS
--   event_stream
-- ARGV
--   after: an entry's id
--   count: how many entries are looked at
--   text
-- Reply: {the last entry that was looked at, '' for none, {entry, fields} ...}

local reply = { '' }
for _, entry in ipairs(redis.call('XRANGE', event_stream, '(' .. after, '+', 'COUNT', count)) do
    reply[1] = entry[1]
    for index = 1, #entry[2], 2 do
        if entry[2][index] == 'data' and string.find(entry[2][index + 1], text, 1, true) then
            reply[#reply + 1] = entry
        end
    end
end
return reply
