-- note-leaving (writes)
--
-- Counts devices and their user out of an activity, once for each erasure and unless they are counted out already, and
-- forgets what else it knows of the user.
--
-- KEYS
--   activity
--   driven: what schedules of users have driven last
--   left: that they have been counted
--   leaving: users who are counted out and not taken out yet
-- ARGV
--   erased: insider_id
--   user: the same, '' while the user has other devices there
--   devices: how many
--   users: how many
--   kept: ms for which is known that they were counted
-- Reply: 1, or 0 when the activity is gone

if redis.call('EXISTS', activity) == 0 then return 0 end
if devices ~= '0' and redis.call('SET', left, '', 'NX', 'PX', kept) and redis.call('HEXISTS', leaving, erased) == 0 then
    redis.call('HINCRBY', activity, 'devices', -tonumber(devices))
    if users ~= '0' then redis.call('HINCRBY', activity, 'users', -tonumber(users)) end
end
if user ~= '' then
    redis.call('HDEL', leaving, user)
    redis.call('HDEL', driven, user)
    if redis.call('HGET', activity, 'external_owner') == user then redis.call('HDEL', activity, 'external_owner') end
end
return 1
