-- note-answer (writes)
--
-- Adds an answer to the budget that a tenant's kept answers use: its bytes times the kept part of the window. The use
-- falls by a whole budget in each window.
--
-- KEYS
--   answers: the tenant's
-- ARGV
--   bytes
--   now: epoch ms
--   budget: bytes
--   window: ms
-- Reply: int (bytes in use)

local is = redis.call('HMGET', answers, 'bytes', 'at')
local passed = math.max(0, now - (is[2] or now))
local noted = math.max(0, (is[1] or 0) - math.floor(passed * budget / window)) + bytes
local is_there = redis.call('PEXPIRE', answers, 2 * window) == 1
redis.call('HSET', answers, 'bytes', string.format('%d', noted), 'at', now)
if not is_there then redis.call('PEXPIRE', answers, 2 * window) end
return noted
