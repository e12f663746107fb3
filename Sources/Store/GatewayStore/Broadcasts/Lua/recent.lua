-- recent (part)
--
-- The newest broadcasts of an activity, the newest first: a field of its hash. Where the hash has ended ones too, each
-- is the last six bytes of an id, in which alone it differs from the activity's, else sixteen.

local function recent_with(recent, packed_id, has_ended)
    local length = has_ended and 6 or 16
    return string.sub(packed_id, -length) .. string.sub(recent or '', 1, length * (LIMIT.recent_broadcasts - 1))
end
