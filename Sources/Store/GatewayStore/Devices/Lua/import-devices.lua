-- import-devices (writes)
--
-- Makes users with their first devices, as an import does: whoever is not known, nor has been. The others are left to
-- put-device.
--
-- On a single server it is given some users at once, whose keys have several tags. In a cluster an import does without
-- it.
--
-- KEYS
--   users...
-- ARGV
--   time: when the import says so, in six bytes
--   devices...(4): for each user field and record of its device, type of the token, and the token, '' for none
-- Reply: how many users were left, and the places of these, from 0 on
-- Includes: first-device

local left = { 0 }
for number = users_at, #KEYS do
    local at = devices_at + 4 * (number - 1)
    local user = KEYS[number]
    if is_unknown(user) then
        make_first_device(user, ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], time)
    else
        left[1] = left[1] + 1
        left[#left + 1] = number - 1
    end
end
return left
