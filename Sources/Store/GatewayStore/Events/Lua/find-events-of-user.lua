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
-- Reply: {last: text, count: int, size: int, places: [text], events: [fields]}
--   last: the last entry that was read, '' for none
--   count: entries read
--   size: bytes of their data
--   places: ids of the entries with the text
--   events: the fields of each of them

local last, count_read, size, places, events = '', 0, 0, {}, {}
for _, entry in ipairs(redis.call('XRANGE', event_stream, '(' .. after, '+', 'COUNT', count)) do
    last, count_read = entry[1], count_read + 1
    for index = 1, #entry[2], 2 do
        if entry[2][index] == 'data' then
            size = size + #entry[2][index + 1]
            if string.find(entry[2][index + 1], text, 1, true) then
                places[#places + 1] = entry[1]
                events[#events + 1] = entry[2]
            end
        end
    end
end
return { last, count_read, size, places, events }
