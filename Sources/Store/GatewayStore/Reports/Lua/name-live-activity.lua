-- name-live-activity (writes)
--
-- Records the name that iOS gave to a Live Activity, with the time of its first report.
--
-- KEYS
--   user
-- ARGV
--   field
--   value
-- Reply: flag (always true, also if the user has been erased meanwhile)
-- Includes: report-times

if redis.call('EXISTS', user) == 0 then return 1 end
-- The activity and the udid are in front of the time.
local known = redis.call('HGET', user, field)
if known and string.sub(known, 1, -7) == string.sub(value, 1, -7) then return 1 end
-- A user with too many names loses the oldest one.
if redis.call('HLEN', user) >= LIMIT.fields_of_user and redis.call('HEXISTS', user, field) == 0 then
    local all, count, first, first_at = redis.call('HGETALL', user), 0, nil, nil
    for index = 1, #all, 2 do
        if string.sub(all[index], 1, 1) == 's' then
            local at = time_of(all[index + 1], #all[index + 1] - 5)
            count = count + 1
            if not first_at or at < first_at then first, first_at = all[index], at end
        end
    end
    if count >= LIMIT.names_of_user then redis.call('HDEL', user, first) end
end
redis.call('HSET', user, field, value)
return 1
