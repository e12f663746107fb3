-- slot-ranges (part)
--
-- The confirmed slots of an activity: first and end of each range, four bytes each. Slots that continue a range extend
-- it, so a growing segment has one range for each band in use.

local function confirm_slots(activity, first, past)
    local ranges = redis.call('HGET', activity, 'slots') or ''
    local before, behind = ranges .. struct.pack('<I4', first), ''
    for position = 5, #ranges - 3, 8 do
        if struct.unpack('<I4', ranges, position) == first then
            before, behind = string.sub(ranges, 1, position - 1), string.sub(ranges, position + 4)
            break
        end
    end
    redis.call('HSET', activity, 'slots', before .. struct.pack('<I4', past) .. behind)
end
