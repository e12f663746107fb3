-- claim-external-activity (writes)
--
-- Finds the activity of an external id, or gives the id to a new one if none exists or its time is up. The caller first
-- proposes the new activity, counts it in its quotas, and then claims the id. Until then the proposal stays, so retries
-- count it once.
--
-- Idempotent. Any number of devices may report the same external id to any gateways at the same time.
--
-- KEYS
--   external
-- ARGV
--   id: of a new activity, '' to read only
--   claims: '1' to claim, '' to propose
--   now: epoch ms
--   ends_at: of the new activity, epoch ms
--   expires_at: of the new activity's data, epoch ms
--   patience: life of the proposal, ms
-- Reply: one of
--   unknown = 0: there is no activity and no proposal
--   proposed = 1 {activity: text}: its id
--   claimed = 2 {activity: text, created_at: int, ends_at: int}: its id, and the times in epoch ms
-- Includes: write-rights

local is = redis.call('HMGET', external, 'activity', 'created_at', 'ends_at', 'proposed')
if is[1] and is[2] and tonumber(is[3] or '0') > tonumber(now) then return { 2, is[1], is[2], is[3] } end
if id == '' then return 0 end
if claims == '' then
    if is[4] then return { 1, is[4] } end
    require_writes(external, 'PEXPIRE')
    redis.call('HSET', external, 'proposed', id)
    if redis.call('PTTL', external) < 0 then redis.call('PEXPIRE', external, patience) end
    return { 1, id }
end
require_writes(external, 'HDEL', 'PEXPIREAT')
redis.call('HSET', external, 'activity', id, 'created_at', now, 'ends_at', ends_at)
redis.call('HDEL', external, 'proposed')
redis.call('PEXPIREAT', external, expires_at)
return { 2, id, now, ends_at }
