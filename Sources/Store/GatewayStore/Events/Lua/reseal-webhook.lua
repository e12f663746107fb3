-- reseal-webhook (writes)
--
-- Replaces the sealed form of a webhook's secrets, if they are still stored as the caller has read them.
--
-- KEYS
--   webhook
-- ARGV
--   secrets...(2): the present and the new sealed form
-- Reply: flag (false if none of them is stored any more)
-- Includes: older-secrets

local fresh = {}
for index = secrets_at, #ARGV, 2 do fresh[ARGV[index]] = ARGV[index + 1] end
local is, found = redis.call('HMGET', webhook, 'secret', 'old_secret'), 0
for index, field in ipairs({ 'secret', 'old_secret' }) do
    if is[index] and fresh[is[index]] then
        redis.call('HSET', webhook, field, fresh[is[index]])
        found = 1
    end
end
local older, has_changed = older_secrets(redis.call('HGET', webhook, 'older_secrets')), false
for _, each in ipairs(older) do
    if fresh[each.secret] then
        each.secret = fresh[each.secret]
        has_changed = true
    end
end
if has_changed then
    redis.call('HSET', webhook, 'older_secrets', written_older_secrets(older))
    found = 1
end
return found
