-- rotate-webhook (writes)
--
-- Gives a webhook a new secret. The present secret stays valid until `old_until`, and earlier ones until their own
-- times. Of the earlier ones the newest `most_older` are kept.
--
-- KEYS
--   webhook
-- ARGV
--   secret: sealed
--   old_until: end of the present secret's validity, epoch ms
--   rotation: id of the change
--   now: epoch ms
--   most_older: number of secrets to keep before the last two
-- Reply: flag (false if the webhook does not exist)
-- Includes: older-secrets

local is = redis.call('HMGET', webhook, 'secret', 'old_secret', 'old_until', 'older_secrets')
if not is[1] then return 0 end
local older = older_secrets(is[4])
if is[2] and is[3] then older[#older + 1] = { ['until'] = is[3], secret = is[2] } end
local kept = {}
for index = math.max(1, #older - most_older + 1), #older do
    if tonumber(older[index]['until']) > tonumber(now) then kept[#kept + 1] = older[index] end
end
local older_field = {}
if #kept > 0 then
    older_field = { 'older_secrets', written_older_secrets(kept) }
else
    redis.call('HDEL', webhook, 'older_secrets')
end
redis.call('HSET', webhook, 'secret', secret, 'old_secret', is[1], 'old_until', old_until, 'rotation', rotation,
    unpack(older_field))
return 1
