-- claim-idempotency-key (writes)
--
-- Claims an idempotency key, or returns the state of its first request.
--
-- KEYS
--   record
-- ARGV
--   body: hash of the body
--   id: proposed id, which repeated requests also get
--   now: epoch ms
--   held_until: epoch ms
--   arrived: epoch ms at which a gateway received the request
--   kept: ms for which the record is kept
-- Reply: one of
--   claimed = 1 {id: text, arrived: int}: epoch ms at which the first request arrived
--   reused = 2: used with another body
--   answered = 3 {status: int, answer: bytes}
--   under_way = 0 {id: text}: the first request has no answer yet

local is = redis.call('HMGET', record, 'body', 'status', 'reply', 'id', 'until', 'arrived')
if not is[1] or not is[4] then
    redis.call('HSET', record, 'body', body, 'id', id, 'until', held_until, 'arrived', arrived)
    if redis.pcall('PEXPIRE', record, kept) ~= 1 then
        redis.call('DEL', record)
        redis.call('PEXPIRE', record, kept)
    end
    return { 1, id, arrived }
end
if is[1] ~= body then return { 2 } end
if is[2] then return { 3, is[2], is[3] } end
if tonumber(is[5]) > tonumber(now) then return { 0, is[4] } end
redis.call('HSET', record, 'until', held_until, 'arrived', is[6] or arrived)
return { 1, is[4], is[6] or arrived }
