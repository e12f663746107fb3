-- add-requests (writes)
--
-- Adds allowed requests to the window that all gateways share. They count even if they fail later.
--
-- KEYS
--   requests
-- ARGV
--   count
--   limit: requests in a window
--   window: ms
-- Reply: int (ms for which to refuse all requests, 0 while the limit is not reached)
-- Includes: minute-window

local text, _, wait = add_to_window(redis.call('GET', requests) or '', tonumber(count), tonumber(limit),
    tonumber(window), now_ms())
redis.call('SET', requests, text, 'PX', window + 1000)
return wait
