-- claim-external-activity (writes)
--
-- Finds the activity that goes by an external id, or gives the id to a new one: when there is none, or its time is
-- up.
--
-- Any number of devices may report the same external id at the same time, to any gateways: each step is made once,
-- however often it is called.
--
-- KEYS
--   external
-- ARGV
--   id: proposed, '' to look only
--   now: epoch ms
--   ends_at: of the proposed one, epoch ms
--   expires_at: likewise
-- Reply: {activity id, when it was made, when it ends}, or nil when there is none and none is proposed

local is = redis.call('HMGET', external, 'activity', 'created_at', 'ends_at')
if is[1] and is[2] and tonumber(is[3] or '0') > tonumber(now) then return is end
if id == '' then return false end
redis.call('HSET', external, 'activity', id, 'created_at', now, 'ends_at', ends_at)
redis.call('PEXPIREAT', external, expires_at)
return { id, now, ends_at }
