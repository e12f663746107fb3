-- find-wishes (reads)
--
-- Reads the preferences of users for a topic.
--
-- KEYS
--   topic
-- ARGV
--   users...: insider_ids
-- Reply: bytes
--   one for each user: '1' to follow, '0' not to follow, '-' for no preference
-- Includes: wishes

local found = {}
for position, user in ipairs(ARGV) do
    found[position] = '-'
    for _, key in ipairs(wish_keys(topic, user)) do
        local is = redis.call('HGET', key, user)
        if is then
            found[position] = string.sub(is, 1, 1)
            break
        end
    end
end
return table.concat(found)
