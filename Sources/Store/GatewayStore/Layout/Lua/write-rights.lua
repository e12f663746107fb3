-- write-rights (part)
--
-- If Redis refuses a command, the writes of the script before it remain. So the writes of a script are in an order in
-- which a repetition completes them. There is none for a count and what it counts in another key. Scripts with such a
-- pair that run once for a page or a broadcast ask beforehand. Redis answers without a call, from version 7.0 on.

-- Raises an error if Redis refuses the user one of the commands on a key.
local function require_writes(key, ...)
    for _, name in ipairs(redis.acl_check_cmd and { ... } or {}) do
        if not redis.acl_check_cmd(name, key, '', '') then error({ err = 'NOPERM the script needs ' .. name }) end
    end
end
