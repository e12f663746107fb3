-- rotate-webhook (writes)
--
-- Gives a webhook a new secret; the present one stays in force for a while, and so do those before it for what is left
-- of theirs. Of these the newest are kept.
--
-- KEYS
--   webhook
-- ARGV
--   secret: sealed
--   old_until: until when the present one is in force, epoch ms
--   rotation: what the change is called
--   now: epoch ms
--   most_older: secrets that are kept beside the present one and the one before
-- Reply: 1 or 0
-- Includes: older-secrets

local is = redis.call('HMGET', webhook, 'secret', 'old_secret', 'old_until', 'older_secrets')
if not is[1] then return 0 end
local older = older_secrets(is[4])
if is[2] and is[3] then older[#older + 1] = { ['until'] = is[3], secret = is[2] } end
local kept = {}
for index = math.max(1, #older - most_older + 1), #older do
    if tonumber(older[index]['until']) > tonumber(now) then kept[#kept + 1] = older[index] end
end
redis.call('HSET', webhook, 'secret', secret, 'old_secret', is[1], 'old_until', old_until, 'rotation', rotation)
if #kept > 0 then
    redis.call('HSET', webhook, 'older_secrets', written_older_secrets(kept))
else
    redis.call('HDEL', webhook, 'older_secrets')
end
return 1
