-- queue-followers (writes)
--
-- Queues users for the driver of a topic, while the topic is live.
--
-- KEYS
--   topic
--   due: queue
-- ARGV
--   item: of the topic in the due queue
--   at: epoch ms
--   users...: insider_ids
-- Reply: int (the number of users that were not queued before)
-- Includes: queueing

if redis.call('HGET', topic, 'state') ~= 'live' then return 0 end
local count = 0
for position = users_at, #ARGV do
    if queue_user(topic, ARGV[position], at) then count = count + 1 end
end
redis.call('ZADD', due, 'LT', at, item)
return count
