-- admit (writes)
--
-- Reads a key's credential, and takes one request from its rate window.
--
-- KEYS
--   credential
--   rate_window
-- ARGV
--   kind
--   limit: requests in a window, 0 for none
--   window: ms
--   now: epoch ms, or '' for Redis's own clock, which all gateways share
--   known: epoch ms of the oldest request in the window, '' if not known
-- Reply: {tenant: text, enabled: flag, tier: text, secrets: text, demand: text, left: int?, reset: int, limits: text}?
--   nil for an unknown or revoked key
--   secrets: stored identity secrets in force, separated by commas
--   demand: the requirement for signatures
--   left: requests that remain in the window, nil if this one is refused
--   reset: epoch ms at which the oldest request leaves the window
--   limits: those that are set
-- Includes: rate-window

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
    return { key[1], key[3], key[4], identity, key[6] or '0', 0, 0, key[8] or '' }
end
local now = tonumber(now)
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local is_allowed, left, free_at =
    take_request(rate_window, credential, limit, window, now, tonumber(known), tonumber(key[9]))
return { key[1], key[3], key[4], identity, key[6] or '0', is_allowed and left, free_at, key[8] or '' }
