-- write-rights (part)
--
-- If Redis refuses a command, the writes of the script before it remain. So scripts write in an order in which a
-- repetition completes the writes. No order does for a count and its members in another key. A script with both asks
-- for its rights beforehand if it is rare. From version 7.0 on, Redis answers without a call.

-- Raises an error if Redis refuses the user one of the commands on a key.
local function require_writes(key, ...)
    for _, name in ipairs(redis.acl_check_cmd and { ... } or {}) do
        if not redis.acl_check_cmd(name, key) then error({ err = 'NOPERM the script needs ' .. name }) end
    end
end
