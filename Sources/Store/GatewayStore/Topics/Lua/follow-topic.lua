-- follow-topic (writes)
--
-- Writes a user's preference to follow a topic or not. While the topic is live, queues the user.
--
-- KEYS
--   topic
--   due: queue
-- ARGV
--   item: of the topic in the due queue
--   user: insider_id
--   wish: '1' or '0'
--   reported_at: epoch ms; a preference older than the stored one changes nothing
--   now: epoch ms
--   life: ms after which a preference is too old, '' for no limit
-- Reply: one of
--   no_topic = 0
--   too_old = -1
--   noted = 1 {state: text, changed: flag}: changed is false for the present preference and for an older one
-- Includes: wish-writing, queueing, report-times, write-rights

local state = redis.call('HGET', topic, 'state')
if not state then return 0 end
local key, is = wish_of(topic, user)
local reported = tonumber(reported_at)
if is_too_old(reported, life) then return -1 end
if is and struct.unpack('<I6', is, 2) > reported then return { 1, state, 0 } end
if is and string.sub(is, 1, 1) == wish then
    redis.call('HSET', key, user, wish .. struct.pack('<I6', reported))
    return { 1, state, 0 }
end
require_writes(topic, 'HINCRBY', 'HSET', 'ZADD')
put_wish(topic, key, user, is, wish, reported)
if state == 'live' then
    queue_user(topic, user, now)
    redis.call('ZADD', due, 'LT', now, item)
end
return { 1, state, 1 }
