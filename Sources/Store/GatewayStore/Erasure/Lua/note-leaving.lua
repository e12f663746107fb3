-- note-leaving (writes)
--
-- Counts devices and their user out of an activity, and forgets what else it knows of the user.
--
-- KEYS
--   activity
--   driven: what schedules of users have driven last
-- ARGV
--   user: insider_id, '' when only devices leave
--   devices: how many
--   users: how many
-- Reply: 1, or 0 when the activity is gone

if redis.call('EXISTS', activity) == 0 then return 0 end
if devices ~= '0' then redis.call('HINCRBY', activity, 'devices', -tonumber(devices)) end
if users ~= '0' then redis.call('HINCRBY', activity, 'users', -tonumber(users)) end
if user ~= '' then
    redis.call('HDEL', driven, user)
    if redis.call('HGET', activity, 'external_owner') == user then redis.call('HDEL', activity, 'external_owner') end
end
return 1
