-- release-schedules (writes)
--
-- Releases the reservations of users' schedules. Skips schedules without a reservation.
--
-- KEYS
--   reserved
--   ages
-- ARGV
--   released...(3): a digest of the insider_id, the id of the schedule in 16 bytes, and the second in which it was
--     reserved, '' for any
-- Reply: flag (always true)
-- Includes: reserved-schedules

for index = released_at, #ARGV, 3 do
    local user, id, second = unpack(ARGV, index, index + 2)
    release_reserved(reserved, ages, user, function(other, since)
        return other == id and (second == '' or since == tonumber(second))
    end)
end
return 1
