-- answer-idempotency-key (writes)
--
-- Stores the answer for an idempotency key if there is none. A caller whose claim has expired may find the answer of
-- another.
--
-- KEYS
--   record
-- ARGV
--   body: hash of the body
--   status
--   reply
--   kept: ms for which the record is kept
-- Reply: {status: int, answer: bytes} (the stored answer)

local is = redis.call('HMGET', record, 'status', 'reply')
if is[1] and is[2] then return is end
-- The answer comes last, because a repetition does nothing once it is there.
local is_there = redis.call('PEXPIRE', record, kept) == 1
redis.call('HSET', record, 'body', body, 'status', status, 'reply', reply)
if not is_there then redis.call('PEXPIRE', record, kept) end
return { status, reply }
