-- admit (writes)
--
-- Looks up a key and takes one request from its window.
--
-- The window is exact: a list of the times of the requests of the last minute, never longer than the limit, so that
-- no edge of a minute lets twice the limit through. A refused request is not counted.
--
-- KEYS
--   credential
--   rate_window
-- ARGV
--   kind
--   limit: requests in a window, 0 for none
--   window: ms
--   now: epoch ms, or '' for Redis's own clock, which all gateways share
-- Reply: nil for an unknown or revoked key, else tenant id, enabled, tier, identity secrets that count as they are
--   kept (separated by commas), identity required, allowed, remaining, epoch ms at which the oldest request leaves
--   the window, limits that are set

local key = redis.call('HMGET', credential, 'tenant', 'kind', 'enabled', 'tier', 'identity', 'identity_required',
    'identity_old', 'limits')
if not key[1] or key[2] ~= kind then return false end
local limit, window = tonumber(limit), tonumber(window)
local identity = key[5] or ''
if key[7] and key[7] ~= '' then
    local time = redis.call('TIME')
    for hash, ends in string.gmatch(key[7], '(%x+):(%d+)') do
        if tonumber(ends) > time[1] * 1000 + time[2] / 1000 then identity = identity .. ',' .. hash end
    end
end
if limit == 0 then
    return { key[1], key[3], key[4], identity, key[6] or '0', 1, 0, 0, key[8] or '' }
end
local now = tonumber(now)
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local oldest = tonumber(redis.call('LINDEX', rate_window, 0))
while oldest and oldest <= now - window do
    redis.call('LPOP', rate_window)
    oldest = tonumber(redis.call('LINDEX', rate_window, 0))
end
local used = redis.call('LLEN', rate_window)
local allowed = 0
if used < limit then
    allowed = 1
    used = used + 1
    redis.call('RPUSH', rate_window, string.format('%.0f', now))
    redis.call('PEXPIRE', rate_window, window)
end
return { key[1], key[3], key[4], identity, key[6] or '0', allowed, math.max(0, limit - used),
    (oldest or now) + window, key[8] or '' }
