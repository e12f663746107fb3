-- recent (part)
--
-- The newest broadcasts of an activity, the newest first: a field of its hash, 16 bytes for each.

local function recent_with(recent, packed_id)
    return packed_id .. string.sub(recent or '', 1, 16 * (LIMIT.recent_broadcasts - 1))
end
