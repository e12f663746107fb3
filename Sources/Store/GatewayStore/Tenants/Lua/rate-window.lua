-- rate-window (part)
--
-- The requests of a key in an exact sliding window, as a list of times. Because it slides, no minute's edge admits
-- twice the limit. Refused requests are not counted. Expired times are removed once the oldest known one has expired,
-- or when the limit is exceeded.
-- Includes: write-rights

-- Takes one request at `now` (epoch ms). `known` is the time of the oldest request, or nil. `kept_until` is the
-- credential's `window_until`. Returns if the request is allowed, the remaining requests, and the epoch ms at which the
-- oldest leaves.
local function take_request(rate_window, credential, limit, window, now, known, kept_until)
    require_writes(rate_window, 'LTRIM')
    local used = redis.call('RPUSH', rate_window, string.format('%.0f', now))
    if used == 1 or not kept_until or kept_until < now + window or kept_until > now + 120 * window then
        -- Stored in the credential, so that most requests need not set the expiry.
        local until_text = string.format('%.0f', now + 60 * window)
        if type(redis.pcall('PEXPIRE', rate_window, 60 * window)) ~= 'number'
            or type(redis.pcall('HSET', credential, 'window_until', until_text)) ~= 'number' then
            -- Takes the request back, and repeats the error.
            redis.call('LTRIM', rate_window, 0, -2)
            redis.call('PEXPIRE', rate_window, 60 * window)
            redis.call('HSET', credential, 'window_until', until_text)
        end
    end
    local oldest = used == 1 and now or known
    if not oldest or oldest <= now - window or used > limit then
        repeat
            local head, past = redis.call('LRANGE', rate_window, 0, 15), 0
            while past < #head and tonumber(head[past + 1]) <= now - window do past = past + 1 end
            oldest = tonumber(head[past + 1])
            if past > 0 then redis.call('LTRIM', rate_window, past, -1) end
            used = used - past
        until oldest
    end
    local is_allowed = used <= limit
    if not is_allowed then
        redis.call('LTRIM', rate_window, 0, -2)
        used = used - 1
    end
    return is_allowed, math.max(0, limit - used), oldest + window
end
