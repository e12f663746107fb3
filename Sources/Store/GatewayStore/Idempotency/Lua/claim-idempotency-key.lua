-- claim-idempotency-key (writes)
--
-- Claims an idempotency key, or tells what is known of it.
--
-- KEYS
--   record
-- ARGV
--   body: its hash
--   id: proposed
--   now: epoch ms
--   held_until: epoch ms
--   kept: ms
-- Reply: {1, id} claimed, {2} used with another body, {3, status, reply} answered before, {0, id} the first is
--   under way

local is = redis.call('HMGET', record, 'body', 'status', 'reply', 'id', 'until')
if not is[1] or not is[4] then
    redis.call('HSET', record, 'body', body, 'id', id, 'until', held_until)
    redis.call('PEXPIRE', record, kept)
    return { 1, id }
end
if is[1] ~= body then return { 2 } end
if is[2] then return { 3, is[2], is[3] } end
if tonumber(is[5]) > tonumber(now) then return { 0, is[4] } end
redis.call('HSET', record, 'until', held_until)
return { 1, is[4] }
