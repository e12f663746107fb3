-- count-states (reads)
--
-- Counts the slots of some pages by state, so the pages need not be sent.
--
-- KEYS
--   pages...(2): status page and update page
-- ARGV
--   ranges...: for each page the number of ranges of its slots in the segment, then first index and end of each
-- Reply: [{key: int, count: int}]
--   key: the delivery status, plus 256 if the slot has not ended and holds an update token, plus 512 if its update
--     token is dead, plus 768 if its Live Activity is shown without a token
-- Includes: pages

local byte = string.byte
local counts, argument = {}, ranges_at
local pages = open_pages({ unpack(KEYS, pages_at) })
for page = 1, #pages, 2 do
    local statuses = read_page(pages[page]) or ''
    local tokens = read_page(pages[page + 1]) or ''
    local width = byte(tokens, 1) or 0
    local reach = width > 1 and math.floor((#tokens - 1) / width) or 0
    for _ = 1, tonumber(ARGV[argument]) do
        local first = tonumber(ARGV[argument + 1])
        local cell = 2 + first * width
        for index = first + 1, math.min(tonumber(ARGV[argument + 2]), #statuses) do
            local key = byte(statuses, index)
            if index <= reach and key < STATUS.ended then
                if byte(tokens, cell) > 0 then
                    key = key + COUNT_KEY.present
                else
                    local mark = byte(tokens, cell + 1)
                    if mark == MARK.dead_token then
                        key = key + COUNT_KEY.dead
                    elseif mark == MARK.live_activity_shown then
                        key = key + COUNT_KEY.shown
                    end
                end
            end
            counts[key] = (counts[key] or 0) + 1
            cell = cell + width
        end
        argument = argument + 2
    end
    argument = argument + 1
end
local reply = {}
for key, count in pairs(counts) do reply[#reply + 1] = { key, count } end
return reply
