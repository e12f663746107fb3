-- take-deliveries (writes)
--
-- Reads due events of a webhook. Events that exceeded the time for delivery first become dead letters, and old dead
-- letters are deleted.
--
-- KEYS
--   webhook
--   queue: event ids by due time
--   arrivals: event ids by arrival
--   tries: by event
--   dead_letters: event ids by the time of giving up
--   settings: the tenant's
-- ARGV
--   event_prefix: key prefix of events
--   now: epoch ms
--   given_up_before: epoch ms
--   forgotten_before: epoch ms
--   wanted: limit of events
--   most_dead_letters: limit of dead letters
--   remembered: ms for which an event's id is kept
--   under_way...: ids to skip
-- Reply: {webhook: fields, deliveries: [bytes]...}
--   webhook: its hash, empty if the webhook does not exist
--   deliveries: id, type, epoch ms, data, epoch ms of the arrival, and attempts of each event
-- Includes: dead-letters, write-rights

local under_way = {}
for position = under_way_at, #ARGV do under_way[ARGV[position]] = true end
local given_up = redis.call('ZRANGEBYSCORE', arrivals, '-inf', given_up_before, 'LIMIT', 0, 100)
if #given_up > 0 then require_writes(webhook, 'HDEL', 'HINCRBY', 'PEXPIRE', 'ZADD', 'ZREM') end
for _, id in ipairs(given_up) do
    if not under_way[id] then bury(webhook, event_prefix, id, now, tonumber(most_dead_letters), remembered) end
end
local forgotten = redis.call('ZRANGEBYSCORE', dead_letters, '-inf', forgotten_before, 'LIMIT', 0, 100)
if #forgotten > 0 then require_writes(webhook, 'HDEL', 'HINCRBY', 'PEXPIRE') end
for _, id in ipairs(forgotten) do
    redis.call('ZREM', dead_letters, id)
    redis.call('HDEL', tries, id)
    release(event_prefix, id, remembered)
end
local wanted = tonumber(wanted)
local reply = { redis.call('HGETALL', webhook) }
if wanted <= 0 then return reply end
local due = redis.call('ZRANGEBYSCORE', queue, '-inf', now, 'LIMIT', 0, wanted + #ARGV - under_way_at + 1)
for _, id in ipairs(due) do
    if not under_way[id] and wanted > 0 then
        local event = redis.call('HMGET', event_prefix .. id, 'type', 'time', 'data')
        if event[1] and event[2] and event[3] then
            local tried = redis.call('HGET', tries, id) or '0'
            reply[#reply + 1] = { id, event[1], event[2], event[3], redis.call('ZSCORE', arrivals, id) or now,
                string.match(tried, '^%d+') or '0' }
            wanted = wanted - 1
        else
            redis.call('HDEL', tries, id)
            redis.call('ZREM', arrivals, id)
            redis.call('ZREM', queue, id)
        end
    end
end
return reply
