-- settle-token (writes)
--
-- Removes a former owner from a token's entry, because its device has been marked.
--
-- KEYS
--   bucket
-- ARGV
--   field
--   former: owner
-- Reply: flag (false if the entry does not have this former owner)

local is = redis.call('HGET', bucket, field)
if not is then return 0 end
local at = 8 + string.byte(is, 7)
while at <= #is do
    local length = string.byte(is, at)
    if string.sub(is, at + 1, at + length) == former then
        local rest = string.sub(is, at + 1 + length)
        redis.call('HSET', bucket, field, string.sub(is, 1, at - 1) .. rest)
        return 1
    end
    at = at + 1 + length
end
return 0
