-- start-notes (part)
--
-- Distinguishes the Live Activity of a slot from an earlier one: see `StartNote`.

-- True if the slot's last start was requested after a broadcast with this order number.
local function is_started_since(start_counts, slot, order)
    local newest = tonumber(string.match(redis.call('HGET', start_counts, slot) or '', ':%d+:(%d+)$'))
    return newest ~= nil and newest >= tonumber(order)
end

-- The bytes for a run of slots, with zeros for those whose last start was requested after the broadcast.
local function without_later_starts(bytes, start_counts, first_slot, order)
    return (string.gsub(bytes, '()[^%z]', function(place)
        local slot = string.format('%.0f', first_slot + place - 1)
        return is_started_since(start_counts, slot, order) and '\0' or nil
    end))
end
