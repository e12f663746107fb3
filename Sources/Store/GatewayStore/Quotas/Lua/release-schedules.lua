-- release-schedules (writes)
--
-- Schedules of users' apps count no more. One that does not count is passed over.
--
-- KEYS
--   reserved
--   ages
-- ARGV
--   released...(2): a digest of the insider_id, and the id of the schedule in 16 bytes
-- Reply: 1
-- Includes: reserved-schedules

for index = released_at, #ARGV, 2 do
    local id = ARGV[index + 1]
    release_reserved(reserved, ages, ARGV[index], function(other) return other == id end)
end
return 1
