-- claim-tokens (writes)
--
-- Does what claim-token does, for tokens of one bucket that were reported at the same time.
--
-- KEYS
--   bucket
-- ARGV
--   time: when the reports were received, in six bytes
--   capacity: how many fields the bucket may have, '' for any number
--   tokens...(2): field and owner; no field twice
-- Reply: 1 when nobody had any of them and all have an entry now; else for each what claim-token replies
-- Includes: token-claims

local fields = {}
for place = tokens_at, #ARGV, 2 do fields[#fields + 1] = ARGV[place] end
-- Behind the others, whether the bucket was full once.
fields[#fields + 1] = 'f'
local is = redis.call('HMGET', bucket, unpack(fields))
local count = #fields - 1
local room = count
if is[#fields] then
    room = 0
elseif capacity ~= '' then
    room = tonumber(capacity) - redis.call('HLEN', bucket)
end
local replies, entries, is_plain, is_full = {}, {}, true, false
for index = 1, count do
    local owner = ARGV[tokens_at + 2 * index - 1]
    local reply, entry
    if is[index] then
        reply, entry = claimed(is[index], owner, time)
        is_plain = false
    elseif room > 0 then
        room = room - 1
        reply, entry = {}, time .. string.char(#owner) .. owner
    else
        reply, is_plain, is_full = -2, false, true
    end
    replies[index] = reply
    if entry then
        entries[#entries + 1] = fields[index]
        entries[#entries + 1] = entry
    end
end
if is_full and not is[#fields] then
    entries[#entries + 1] = 'f'
    entries[#entries + 1] = ''
end
if #entries > 0 then redis.call('HSET', bucket, unpack(entries)) end
return is_plain and 1 or replies
