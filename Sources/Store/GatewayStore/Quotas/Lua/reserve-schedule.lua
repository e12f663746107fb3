-- reserve-schedule (writes)
--
-- Reserves a schedule of a user's app before it is recorded, unless a quota of its user or tenant is reached. A
-- reserved schedule is reserved again.
--
-- KEYS
--   reserved
--   ages
--   usage: the tenant's
-- ARGV
--   user: a digest of the insider_id
--   activity: in 16 bytes
--   id: in 16 bytes
--   size: bytes of the payload
--   now: epoch seconds
--   kept: seconds after which no record of a schedule can exist
--   count_limit: of the tenant, 0 for none
--   bytes_limit: of the tenant, 0 for none
--   user_count_limit: 0 for none
--   user_bytes_limit: 0 for none
--   count_name: of the tenant's limit
--   bytes_name: of the tenant's limit
-- Reply: {reached: int, is_new: flag, crossings: text...}
--   reached: number of the reached limit in the order of the arguments, from 1 on; 0 if the schedule is reserved
--   is_new: false if the schedule was reserved before
--   crossings: four texts each, see `crossings`
-- Includes: reserved-schedules, crossings, write-rights

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
local reply = { reached, known == 0 and 1 or 0 }
if reached == 0 then
    require_writes(reserved, 'PEXPIRE')
    put_reserved(reserved, ages, user, rest .. activity .. id .. struct.pack('<I4I4', tonumber(size), time),
        all, all_bytes)
    for _, key in ipairs({ reserved, ages }) do redis.call('PEXPIRE', key, kept * 1000 + 60000) end
end
if reached == 0 or reached == 1 then note_crossing(usage, count_name, all, count_limit, 0, time * 1000, reply) end
if reached == 0 or reached == 2 then note_crossing(usage, bytes_name, all_bytes, bytes_limit, 0, time * 1000, reply) end
return reply
