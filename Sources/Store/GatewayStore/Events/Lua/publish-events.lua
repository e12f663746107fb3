-- publish-events (writes)
--
-- Records events in a stream and for each webhook that subscribes to them. Skips events that were recorded before.
-- Events caused by devices have their own stream, and fill at most half of a webhook's queue and dead letters.
--
-- KEYS
--   settings: the tenant's
--   event_stream
--   device_stream
-- ARGV
--   event_prefix: key prefix of events
--   webhook_prefix: key prefix of webhooks
--   length: of each stream
--   most_waiting: limit of pending events per webhook
--   most_dead_letters: limit of dead letters per webhook
--   remembered: ms for which an event's id is kept
--   kept: ms for which an event's text is kept
--   now: epoch ms
--   only: the only webhook to publish to, '' for all and the stream
--   source: 'device' or ''
--   events...(4): id, type, epoch ms and data
-- Reply: int (number of new events)
-- Includes: dead-letters, event-places, write-rights

local all = redis.call('HGETALL', settings)
local stream, webhooks = false, {}
for index = 1, #all, 2 do
    local name, value = all[index], all[index + 1]
    if name == 'stream' then
        stream = value == '1' and only == ''
    elseif string.sub(name, 1, 2) == 'w:' and (only == '' or only == string.sub(name, 3)) then
        webhooks[#webhooks + 1] = { webhook_prefix .. string.sub(name, 3), ',' .. value .. ',' }
    end
end
if not stream and #webhooks == 0 then return 0 end
local of_device = source == 'device'
local part = of_device and 2 or 1
-- Takes a place from the first stream by a pair of writes.
if stream and of_device then require_writes(event_stream, 'XDEL') end

local function record(key, id, type, time, data)
    local wanted, full = {}, {}
    for _, webhook in ipairs(webhooks) do
        if only ~= '' or webhook[2] == ',*,' or string.find(webhook[2], ',' .. type .. ',', 1, true) then
            wanted[#wanted + 1] = webhook[1]
        end
    end
    if #wanted > 0 then redis.call('HSET', key, 'type', type, 'time', time, 'data', data, 'n', #wanted) end
    redis.call('PEXPIRE', key, #wanted > 0 and kept or remembered)
    for _, webhook in ipairs(wanted) do
        if redis.call('ZCARD', webhook .. ':q') < most_waiting / part then
            redis.call('ZADD', webhook .. ':q', now, id)
            redis.call('ZADD', webhook .. ':b', now, id)
        else
            full[#full + 1] = webhook
        end
    end
    -- Dropped events are counted.
    if #full > 0 then require_writes(settings, 'HDEL', 'HINCRBY', 'HSET', 'ZADD', 'ZREM', stream and 'XADD' or nil) end
    for _, webhook in ipairs(full) do
        if of_device and redis.call('ZCARD', webhook .. ':d') >= most_dead_letters / part then
            redis.call('HINCRBY', webhook, 'dropped', 1)
            release(event_prefix, id, remembered)
        else
            redis.call('HSET', webhook .. ':n', id, '0:too many events waited')
            bury(webhook, event_prefix, id, now, tonumber(most_dead_letters), remembered)
        end
    end
    if not stream then return end
    local target = of_device and device_stream or event_stream
    local place = of_device and next_place(event_stream) or '*'
    redis.call('XADD', target, 'MAXLEN', '~', length, place, 'id', id, 'type', type, 'timestamp', time, 'data', data)
end

local count = 0
for position = events_at, #ARGV, 4 do
    local id, type, time, data = unpack(ARGV, position, position + 3)
    local key = event_prefix .. id
    if redis.call('HSETNX', key, 'at', now) == 1 then
        count = count + 1
        local is_recorded, problem = pcall(record, key, id, type, time, data)
        if not is_recorded then
            -- A repetition skips events that are there.
            redis.call('DEL', key)
            error(problem, 0)
        end
    end
end
return count
