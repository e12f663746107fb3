-- claim-external-activity (writes)
--
-- Finds the activity that goes by an external id, or gives the id to a new one: when there is none, or its time is
-- up. It is proposed first and claimed then, with quotas in between: until it is claimed it stays the one that is
-- proposed, so that it is counted once however often a report is tried.
--
-- Any number of devices may report the same external id at the same time, to any gateways: each step is made once,
-- however often it is called.
--
-- KEYS
--   external
-- ARGV
--   id: of a new one, '' to look only
--   claims: '1' when it is claimed, '' when it is proposed
--   now: epoch ms
--   ends_at: of the new one, epoch ms
--   expires_at: likewise
--   patience: ms for which it stays proposed
-- Reply: {activity id, when it was made, when it ends}; only the id of one that is proposed; nil when there is none and
--   none is proposed

local is = redis.call('HMGET', external, 'activity', 'created_at', 'ends_at', 'proposed')
if is[1] and is[2] and tonumber(is[3] or '0') > tonumber(now) then return { is[1], is[2], is[3] } end
if id == '' then return false end
if claims == '' then
    if is[4] then return { is[4] } end
    redis.call('HSET', external, 'proposed', id)
    if redis.call('PTTL', external) < 0 then redis.call('PEXPIRE', external, patience) end
    return { id }
end
redis.call('HSET', external, 'activity', id, 'created_at', now, 'ends_at', ends_at)
redis.call('HDEL', external, 'proposed')
redis.call('PEXPIREAT', external, expires_at)
return { id, now, ends_at }
