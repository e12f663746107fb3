-- rate-window (part)
--
-- The requests of a key within a window of time. The window is exact: a list of the times of these requests, so that no
-- edge of a minute lets twice the limit through. A refused request is not counted. Times that have left the window are
-- looked for when the oldest that the caller knows of has, and taken away some at once.

-- Takes one request at `now` (epoch ms) from a window. `known`: when one was made that was the oldest, or nil;
-- `kept_until`: as the credential says. Returns whether it is allowed, how many more are, and the epoch ms at which the
-- oldest leaves the window.
local function take_request(rate_window, credential, limit, window, now, known, kept_until)
    local used = redis.call('RPUSH', rate_window, string.format('%.0f', now))
    if used == 1 or not kept_until or kept_until < now + window or kept_until > now + 120 * window then
        -- So it need not be said with each request.
        redis.call('PEXPIRE', rate_window, 60 * window)
        redis.call('HSET', credential, 'window_until', string.format('%.0f', now + 60 * window))
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
