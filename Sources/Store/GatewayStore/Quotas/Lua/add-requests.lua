-- add-requests (writes)
--
-- Adds requests to those of the last minute, which all gateways count together. They count whatever comes of it, for
-- they have been let in.
--
-- KEYS
--   requests
-- ARGV
--   count
--   limit: requests in a window
--   window: ms
-- Reply: ms for which none is to be let in, 0 as long as the limit is not reached
-- Includes: minute-window

local text, _, wait = add_to_window(redis.call('GET', requests) or '', tonumber(count), tonumber(limit),
    tonumber(window), now_ms())
redis.call('SET', requests, text, 'PX', window + 1000)
return wait
