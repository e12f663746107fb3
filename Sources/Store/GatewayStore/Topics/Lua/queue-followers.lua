-- queue-followers (writes)
--
-- Queues users to be seen to, while a topic is live.
--
-- KEYS
--   topic
--   due: queue
-- ARGV
--   item: the topic's in the due queue
--   at: epoch ms
--   users...: insider_ids
-- Reply: how many were queued that were not
-- Includes: queueing

if redis.call('HGET', topic, 'state') ~= 'live' then return 0 end
local count = 0
for position = users_at, #ARGV do
    if queue_user(topic, ARGV[position], at) then count = count + 1 end
end
redis.call('ZADD', due, 'LT', at, item)
return count
