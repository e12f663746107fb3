-- start-notes (part)
--
-- Tells the Live Activity of a slot from an earlier one: see `StartNote`.

-- True if the slot was made ready for another start after a time, in epoch ms.
local function is_started_since(start_counts, slot, time)
    local prepared_at = tonumber(string.match(redis.call('HGET', start_counts, slot) or '', ':(%d+)$'))
    return prepared_at ~= nil and prepared_at > tonumber(time)
end

-- The bytes for a run of slots, with zeros for those that were made ready for another start after a time.
local function without_later_starts(bytes, start_counts, first_slot, time)
    return (string.gsub(bytes, '()[^%z]', function(place)
        local slot = string.format('%.0f', first_slot + place - 1)
        return is_started_since(start_counts, slot, time) and '\0' or nil
    end))
end
