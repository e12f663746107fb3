-- reseal-webhook (writes)
--
-- Keeps secrets of a webhook sealed in another way, those that are still kept as the caller has seen them.
--
-- KEYS
--   webhook
-- ARGV
--   secrets...(2): as one is sealed, and as it is to be sealed
-- Reply: 1, or 0 when none of them is kept so any more
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
