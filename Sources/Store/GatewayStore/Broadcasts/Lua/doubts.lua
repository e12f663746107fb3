-- doubts (part)
--
-- The devices that a hold of a start's job leaves in doubt are a hash of the partition, from slot to broadcast and
-- hold. An outcome with a Live Activity is a fact, from any hold and at any time. Only the hold that left a device in
-- doubt can report that there is none, because a later hold may have sent one.

local function slot_of(page, index)
    return string.format('%.0f', page * SIZE.slots_per_page + index)
end
