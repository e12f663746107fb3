-- note-leaving (writes)
--
-- Subtracts devices and their user from an activity's counts. Idempotent for each erasure, and skips users who are
-- subtracted already. Also deletes the activity's other data of the user.
--
-- KEYS
--   activity
--   driven: last drivers by user
--   left: mark of a completed count
--   leaving: users who are subtracted and not yet removed
-- ARGV
--   erased: insider_id
--   user: insider_id, '' while the user has other devices there
--   devices: number
--   users: number
--   kept: life of the mark, ms
-- Reply: flag (false if the activity does not exist)
-- Includes: write-rights

if redis.call('EXISTS', activity) == 0 then return 0 end
if devices ~= '0' then require_writes(activity, 'HINCRBY') end
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
