-- doubts (part)
--
-- Whom a hold of a start's job leaves in doubt stands in a hash of the partition: a field for each slot, with broadcast
-- and hold. What became of a device is a fact whoever tells it, and however late; but that there is no Live Activity
-- only the hold can tell that has left it in doubt, because whoever came behind may have sent one.

local function slot_of(page, index)
    return string.format('%.0f', page * SIZE.slots_per_page + index)
end
