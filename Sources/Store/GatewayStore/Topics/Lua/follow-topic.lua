-- follow-topic (writes)
--
-- Notes a user's wish to follow a topic, or not to any more. While the topic is live the user is queued to be seen to.
--
-- KEYS
--   topic
--   due: queue
-- ARGV
--   item: the topic's in the due queue
--   user: insider_id
--   wish: '1' or '0'
--   reported_at: epoch ms; an older wish than the one that is there changes nothing
--   now: epoch ms
--   life: ms after which a wish is not noted any more, '' for any time
-- Reply: nil when there is no such topic, -1 when the wish is too old, else {its state, 1 if the wish is another one
--   than before, else 0}
-- Includes: wish-writing, queueing, report-times

local state = redis.call('HGET', topic, 'state')
if not state then return false end
local key, is = wish_of(topic, user)
local reported = tonumber(reported_at)
if is_too_old(reported, life) then return -1 end
if is and struct.unpack('<I6', is, 2) > reported then return { state, 0 } end
if is and string.sub(is, 1, 1) == wish then
    redis.call('HSET', key, user, wish .. struct.pack('<I6', reported))
    return { state, 0 }
end
put_wish(topic, key, user, is, wish, reported)
if state == 'live' then
    queue_user(topic, user, now)
    redis.call('ZADD', due, 'LT', now, item)
end
return { state, 1 }
