-- admit (writes)
--
-- Looks up a key and takes one request from its window.
--
-- The window is exact: a list of the times of the requests of the last minute, so that no edge of a minute lets twice
-- the limit through. A refused request is not counted. Times that have left the window are looked for when the oldest
-- that the caller knows of has, and taken away some at once.
--
-- KEYS
--   credential
--   rate_window
-- ARGV
--   kind
--   limit: requests in a window, 0 for none
--   window: ms
--   now: epoch ms, or '' for Redis's own clock, which all gateways share
--   known: epoch ms of a request that was the oldest in the window, '' when none is known
-- Reply: nil for an unknown or revoked key, else tenant id, enabled, tier, identity secrets that count as they are
--   kept (separated by commas), identity required, allowed, remaining, epoch ms at which the oldest request leaves
--   the window, limits that are set

local key = redis.call('HMGET', credential, 'tenant', 'kind', 'enabled', 'tier', 'identity', 'identity_required',
    'identity_old', 'limits', 'window_until')
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
local used = redis.call('RPUSH', rate_window, string.format('%.0f', now))
local until_time = tonumber(key[9])
if used == 1 or not until_time or until_time < now + window or until_time > now + 120 * window then
    -- So it need not be said with each request.
    until_time = string.format('%.0f', now + 60 * window)
    redis.call('PEXPIRE', rate_window, 60 * window)
    redis.call('HSET', credential, 'window_until', until_time)
end
local oldest = used == 1 and now or tonumber(known)
if not oldest or oldest <= now - window or used > limit then
    repeat
        local head, past = redis.call('LRANGE', rate_window, 0, 15), 0
        while past < #head and tonumber(head[past + 1]) <= now - window do past = past + 1 end
        oldest = tonumber(head[past + 1])
        if past > 0 then redis.call('LTRIM', rate_window, past, -1) end
        used = used - past
    until oldest
end
local allowed = used <= limit and 1 or 0
if allowed == 0 then
    redis.call('LTRIM', rate_window, 0, -2)
    used = used - 1
end
return { key[1], key[3], key[4], identity, key[6] or '0', allowed, math.max(0, limit - used), oldest + window,
    key[8] or '' }
