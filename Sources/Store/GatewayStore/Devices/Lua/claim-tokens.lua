-- claim-tokens (writes)
--
-- Claims tokens of one bucket that were reported at the same time: see claim-token.
--
-- KEYS
--   bucket
-- ARGV
--   capacity: the most fields of the bucket, '' for no limit
--   tokens...(2): field, and the entry to write if it has no owner; no field twice, all with the same time
-- Reply: one of
--   undisputed = 1: all claims succeed without former owners
--   disputed = 0 {formers: [[bytes]], lost: [int], full: [int]}: the former owners of each token, and the indexes from
--     0 on of the tokens for which claim-token replies lost or full
-- Call: encoded
-- Includes: token-claims

local fields = {}
local count = 0
for place = tokens_at, #ARGV, 2 do
    count = count + 1
    fields[count] = ARGV[place]
end
-- The last value is the mark of a bucket that was full once.
fields[count + 1] = 'f'
local is = redis.call('HMGET', bucket, unpack(fields))
local room = count
if is[count + 1] then
    room = 0
elseif capacity ~= '' then
    room = tonumber(capacity) - redis.call('HLEN', bucket)
end
local is_plain = room >= count
for index = 1, count do
    if is[index] then
        is_plain = false
        break
    end
end
if is_plain then
    redis.call('HSET', bucket, unpack(ARGV, tokens_at))
    return 1
end
local reported = time_of(ARGV[tokens_at + 1], 1)
local formers, lost, full, entries, is_undisputed = {}, {}, {}, {}, true
for index = 1, count do
    local fresh = ARGV[tokens_at + 2 * index - 1]
    local taken, entry = {}, nil
    if is[index] and string.sub(is[index], 7) == string.sub(fresh, 7) then
        -- The owner reports it again, and no former owner is recorded.
        if not is_newer(is[index], 1, reported) then entry = fresh end
    elseif is[index] then
        taken, entry = claimed(is[index], string.sub(fresh, 8), string.sub(fresh, 1, 6))
        if not taken then lost[#lost + 1] = index - 1 end
    elseif room > 0 then
        room = room - 1
        entry = fresh
    else
        full[#full + 1] = index - 1
    end
    formers[index] = taken or {}
    if #formers[index] > 0 then is_undisputed = false end
    if entry then
        entries[#entries + 1] = fields[index]
        entries[#entries + 1] = entry
    end
end
if #full > 0 and not is[count + 1] then
    entries[#entries + 1] = 'f'
    entries[#entries + 1] = ''
end
if #entries > 0 then redis.call('HSET', bucket, unpack(entries)) end
return is_undisputed and #lost + #full == 0 and 1 or { 0, formers, lost, full }
