-- remove-device (writes)
--
-- Takes a device and its tokens out of its user's hash. Its number is given to no other device, so what still names it
-- elsewhere names nobody.
--
-- KEYS
--   user
-- ARGV
--   field: the device's
--   number: the device's, as fields spell it
-- Reply: nil when the device is not there under this number, else its tokens

local value = redis.call('HGET', user, field)
if not value or string.sub(value, 1, #number) ~= number then return false end
local prefix, tokens = 't' .. number, {}
for _, name in ipairs(redis.call('HKEYS', user)) do
    if string.sub(name, 1, #prefix) == prefix then
        tokens[#tokens + 1] = string.sub(redis.call('HGET', user, name), 7)
        redis.call('HDEL', user, name)
    end
end
redis.call('HDEL', user, field)
redis.call('HINCRBY', user, 'v', 1)
return tokens
