-- place-device (writes)
--
-- Fills a slot with a device that shows its Live Activity already. Pages grow in steps and are written anew then, so
-- that they take little more memory than they need.
--
-- KEYS
--   status_page
--   update_page
--   identities
-- ARGV
--   index
--   expires_at: epoch ms
--   status: a byte
--   identity
-- Reply: 1, or 0 when the slot was filled before

local index = tonumber(index)
local length = redis.call('STRLEN', status_page)
if index >= length then
    local size = 1
    while size <= index do size = size * 4 end
    size = math.min(size, SIZE.slots_per_page)
    local statuses = redis.call('GET', status_page) or ''
    redis.call('SET', status_page, statuses .. string.rep('\0', size - length), 'PXAT', expires_at)
    local tokens = redis.call('GET', update_page)
    if tokens then
        local width = string.byte(tokens, 1)
        local missing = math.max(0, 1 + width * size - #tokens)
        redis.call('SET', update_page, tokens .. string.rep('\0', missing), 'PXAT', expires_at)
    end
end
if redis.call('GETRANGE', status_page, index, index) ~= '\0' then return 0 end
redis.call('HSET', identities, index, identity)
redis.call('PEXPIREAT', identities, expires_at)
redis.call('SETRANGE', status_page, index, status)
return 1
