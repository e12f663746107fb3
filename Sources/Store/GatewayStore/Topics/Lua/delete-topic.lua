-- delete-topic (writes)
--
-- Deletes a topic without a running activity, with the preferences of its followers.
--
-- KEYS
--   topic
--   due: queue
-- ARGV
--   item: of the topic in the due queue
-- Reply: flag?
--   false if its activity is not over or a gateway drives it, nil if there is no topic

local is = redis.call('HMGET', topic, 'state', 'activity', 'over', 'levels', 'driver', 'candidate')
if not is[1] then return false end
if is[1] == 'live' or is[2] and not is[3] or is[5] or is[6] then return 0 end
local function drop(prefix, count)
    for first = 0, count - 1, 1024 do
        local keys = {}
        for number = first, math.min(first + 1023, count - 1) do keys[#keys + 1] = prefix .. number end
        redis.call('UNLINK', unpack(keys))
    end
end
if (is[4] or '') >= '1' then drop(topic .. '/w1:', 128) end
if (is[4] or '') >= '2' then drop(topic .. '/w2:', 16384) end
redis.call('ZREM', due, item)
redis.call('DEL', topic, topic .. '/w', topic .. '/q', topic .. '/h')
return 1
