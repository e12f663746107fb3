-- reserve-schedule (writes)
--
-- Counts a schedule of a user's app that is about to be recorded, unless a quota of its user or tenant is reached. A
-- schedule that counts already is counted anew.
--
-- KEYS
--   reserved
--   ages
--   usage: the tenant's
-- ARGV
--   user: a digest of the insider_id
--   activity: in 16 bytes
--   id: in 16 bytes
--   size: of the payload
--   now: epoch seconds
--   kept: seconds after which no record of a schedule is left
--   count_limit: of the tenant, 0 for none
--   bytes_limit: of the tenant, 0 for none
--   user_count_limit: 0 for none
--   user_bytes_limit: 0 for none
--   count_name: of the tenant's limit
--   bytes_name: of the tenant's limit
-- Reply: {1, 2 when it counted before, 0 when a quota is reached; which of the four limits that is, else 0}, and for
--   each quota of the tenant that is nearly or wholly used up since: its name, 1 or 2, the use, the limit
-- Includes: reserved-schedules, crossings

local time = tonumber(now)
local oldest = time - kept
local function is_expired(_, since) return since <= oldest end
for _, other in ipairs(redis.call('ZRANGEBYSCORE', ages, '-inf', oldest, 'LIMIT', 0, 16)) do
    release_reserved(reserved, ages, other, is_expired)
end

local text, all, all_bytes = unpack(redis.call('HMGET', reserved, user, 'count', 'bytes'))
local rest, user_bytes, known, known_bytes = split_reserved(text or '', function(other) return other == id end)
local user_count = #rest / SIZE.reserved_schedule + 1
user_bytes = user_bytes + size
all, all_bytes = (all or 0) - known + 1, (all_bytes or 0) - known_bytes + size

local function exceeds(use, limit) return limit ~= '0' and use > tonumber(limit) end
local reached = 0
if known == 0 then
    if exceeds(user_count, user_count_limit) then
        reached = 3
    elseif exceeds(user_bytes, user_bytes_limit) then
        reached = 4
    elseif exceeds(all, count_limit) then
        reached, all = 1, tonumber(count_limit)
    elseif exceeds(all_bytes, bytes_limit) then
        reached, all_bytes = 2, tonumber(bytes_limit)
    end
end
local reply = { reached > 0 and 0 or known > 0 and 2 or 1, reached }
if reached == 0 then
    put_reserved(reserved, ages, user, rest .. activity .. id .. struct.pack('<I4I4', tonumber(size), time),
        all, all_bytes)
    for _, key in ipairs({ reserved, ages }) do redis.call('PEXPIRE', key, kept * 1000 + 60000) end
end
if reached == 0 or reached == 1 then note_crossing(usage, count_name, all, count_limit, 0, time * 1000, reply) end
if reached == 0 or reached == 2 then note_crossing(usage, bytes_name, all_bytes, bytes_limit, 0, time * 1000, reply) end
return reply
