-- answer-idempotency-key (writes)
--
-- Keeps the answer for an idempotency key, if there is none yet: who slept longer than its claim held may find that of
-- another one.
--
-- KEYS
--   record
-- ARGV
--   body: its hash
--   status
--   reply
--   kept: ms
-- Reply: {status, reply} that is kept

local is = redis.call('HMGET', record, 'status', 'reply')
if is[1] and is[2] then return is end
redis.call('HSET', record, 'body', body, 'status', status, 'reply', reply)
redis.call('PEXPIRE', record, kept)
return { status, reply }
