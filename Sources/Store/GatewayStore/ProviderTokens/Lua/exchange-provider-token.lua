-- exchange-provider-token (writes)
--
-- Sets the provider token of an account if there is none, else returns the present one.
--
-- An offered token replaces one that the provider refused as expired, at most once per interval of Redis's clock. The
-- limit is needed because gateways with clocks hours apart refuse each other's tokens.
--
-- KEYS
--   provider_token
-- ARGV
--   issued: time of the offered token, '' for none
--   token: sealed
--   lifetime: ms for which the token is shared
--   refused: issue time of the refused token, '' for none
--   interval: s
-- Reply: one of
--   taken = 1: the offered token was set
--   shared = 0 {issued: text, token: bytes}: another token is present
--   nothing = 2: there is no token
-- Includes: write-rights

local function put()
    require_writes(provider_token, 'HSET', 'PEXPIRE')
    redis.call('DEL', provider_token)
    redis.call('HSET', provider_token, 'issued', issued, 'token', token)
    redis.call('PEXPIRE', provider_token, lifetime)
end

local is = redis.call('HMGET', provider_token, 'issued', 'token', 'renewed')
if not is[1] or not is[2] then
    if issued == '' then return { 2 } end
    put()
    return { 1 }
end
if issued ~= '' and is[1] == refused then
    local now = tonumber(redis.call('TIME')[1])
    if now - (tonumber(is[3]) or 0) >= tonumber(interval) then
        put()
        redis.call('HSET', provider_token, 'renewed', now)
        return { 1 }
    end
end
return { 0, is[1], is[2] }
