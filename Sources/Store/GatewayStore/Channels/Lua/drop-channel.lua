-- drop-channel (writes)
--
-- Removes a broadcast channel from its activity, so that later starts ask for update tokens. The activity keeps the
-- kind of route that has lost it.
--
-- KEYS
--   activity
-- ARGV
--   channel
-- Reply: flag (false if the activity does not have the channel)
-- Includes: write-rights

local kept, lost = {}, {}
for entry in string.gmatch(redis.call('HGET', activity, 'channels') or '', '[^,]+') do
    local kind, address = string.match(entry, '^(%d+)=!?(.*)$')
    if address == channel then lost[#lost + 1] = kind else kept[#kept + 1] = entry end
end
if #lost == 0 then return 0 end
if #kept == 0 then require_writes(activity, 'HDEL') end
lost[#lost + 1] = redis.call('HGET', activity, 'lost_channels') or nil
redis.call('HSET', activity, 'lost_channels', table.concat(lost, ','))
if #kept == 0 then
    redis.call('HDEL', activity, 'channels')
else
    redis.call('HSET', activity, 'channels', table.concat(kept, ','))
end
return 1
