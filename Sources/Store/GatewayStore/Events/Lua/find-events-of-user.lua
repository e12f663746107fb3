-- find-events-of-user (reads)
--
-- Finds the entries with a text among the next entries of a stream.
--
-- KEYS
--   event_stream
-- ARGV
--   after: an entry's id
--   count: most entries to read
--   text
-- Reply: {the last entry that was read, '' for none; number of entries; bytes of their data; {entry, fields} ...}

local reply = { '', 0, 0 }
for _, entry in ipairs(redis.call('XRANGE', event_stream, '(' .. after, '+', 'COUNT', count)) do
    reply[1], reply[2] = entry[1], reply[2] + 1
    for index = 1, #entry[2], 2 do
        if entry[2][index] == 'data' then
            reply[3] = reply[3] + #entry[2][index + 1]
            if string.find(entry[2][index + 1], text, 1, true) then reply[#reply + 1] = entry end
        end
    end
end
return reply
