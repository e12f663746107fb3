-- drop-channel (writes)
--
-- Removes a broadcast channel from its activity, so that later starts ask for update tokens.
--
-- KEYS
--   activity
-- ARGV
--   channel
-- Reply: 1, or 0 if the activity does not have the channel

local kept, had = {}, redis.call('HGET', activity, 'channels') or ''
for entry in string.gmatch(had, '[^,]+') do
    if string.match(entry, '^%d+=!?(.*)$') ~= channel then kept[#kept + 1] = entry end
end
local left = table.concat(kept, ',')
if left == had then return 0 end
if left == '' then redis.call('HDEL', activity, 'channels') else redis.call('HSET', activity, 'channels', left) end
return 1
