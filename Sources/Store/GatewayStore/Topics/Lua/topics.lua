-- topics (part)
--
-- Changes a topic in the step that records a broadcast of its activity.
-- Includes: slot-ranges

-- Adds the reserved slots to the segment, and deletes their record.
local function confirm_placed(topic, activity, users)
    local placing = redis.call('HGET', topic, 'placing') or ''
    local count = 0
    for at = 1, #placing - 7, 8 do
        local first, number = struct.unpack('<I4I4', placing, at)
        confirm_slots(activity, first, first + number)
        count = count + number
    end
    redis.call('HDEL', topic, 'placing', 'leaving')
    if count > 0 then redis.call('HINCRBY', activity, 'devices', count) end
    redis.call('HINCRBY', activity, 'users', users)
    return redis.call('HGET', activity, 'slots')
end

local function note_topic(topic, activity_id, version, is_first_start, is_end)
    if version ~= '' then redis.call('HSET', topic, 'sent', version) end
    if is_first_start then
        redis.call('HSET', topic, 'activity', activity_id, 'activity_life', redis.call('HGET', topic, 'life'))
        redis.call('HDEL', topic, 'candidate', 'over', 'placing', 'leaving')
    elseif is_end then
        redis.call('HSET', topic, 'over', '1')
        redis.call('DEL', topic .. '/q', topic .. '/h')
    end
end
