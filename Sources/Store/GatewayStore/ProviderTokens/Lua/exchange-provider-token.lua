-- exchange-provider-token (writes)
--
-- Sets the provider token of a key when there is none, and tells which one there is.
--
-- A token that the provider has called expired gives way to the offered one, but not more often than once in an
-- interval by Redis's own clock: when the clocks of two gateways differ by hours, each takes the other's token for
-- expired.
--
-- KEYS
--   provider_token
-- ARGV
--   issued: time of the offered token, '' for none
--   token: sealed
--   lifetime: ms that it may be taken
--   refused: issue time of the refused token, '' for none
--   interval: s
-- Reply: {1} the offered one was set, {0, issue time, sealed token} another one is there, {2} there is none

local function put()
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
