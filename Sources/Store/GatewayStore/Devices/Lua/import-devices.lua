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
--   devices...(4): for each user field and value of its device, and of its token, twice '' for none: what put-device
--     would make of a user whom nobody knows
-- Reply: how many users were left, and the places of these, from 0 on
-- Includes: first-device

-- Nearly always nobody is known, and one question tells. Who comes twice is known the second time.
local names, seen, is_plain = {}, {}, true
for number = users_at, #KEYS do
    local user = KEYS[number]
    if seen[user] then is_plain = false end
    seen[user] = true
    local at = #names
    names[at + 1], names[at + 2], names[at + 3], names[at + 4] = user, user .. ':x', user .. ':y', user .. ':z'
end
is_plain = is_plain and redis.call('EXISTS', unpack(names)) == 0
local left = { 0 }
local at = devices_at
for number = users_at, #KEYS do
    local user = KEYS[number]
    if not is_plain and not is_unknown(user) then
        left[1] = left[1] + 1
        left[#left + 1] = number - 1
    elseif ARGV[at + 2] == '' then
        redis.call('HSET', user, 'v', '1', ARGV[at], ARGV[at + 1])
    else
        redis.call('HSET', user, 'v', '1', ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
    end
    at = at + 4
end
return left
