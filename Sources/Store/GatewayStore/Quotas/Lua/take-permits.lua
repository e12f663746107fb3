-- take-permits (writes)
--
-- Takes permits out of the quota of messages that all gateways share which send for a project.
--
-- They are spread over time (the generic cell rate algorithm): each one moves the time on at which the next one is
-- due, and what is due a moment ahead is given at once. The rate begins at a part of the whole, and again after a rest;
-- it is lower after the provider was in trouble; and nothing is given while the provider wants to be left alone.
--
-- KEYS
--   quota
-- ARGV
--   count: wanted
--   limit: messages a minute
--   ramp_up: µs from the first part of the rate to the whole
--   now: µs since 1970, or '' for Redis's own clock, which all gateways share
-- Reply: {permits, ms for which it is of no use to ask again}
-- Includes: quota-shares

local count, limit, ramp_up = tonumber(count), tonumber(limit), tonumber(ramp_up)
local now = quota_time(now)
local is = redis.call('HMGET', quota, 'next', 'used', 'began', 'until', 'share', 'shared_at')
-- Of a clock that was set back nothing is waited for any longer than it could be for.
local closed = math.min(tonumber(is[4]) or 0, now + QUOTA.longest_wait)
if now < closed then return { 0, math.ceil((closed - now) / 1000) } end

local next, used, began = tonumber(is[1]) or 0, tonumber(is[2]), tonumber(is[3])
if not used or not began or now - used >= QUOTA.rest or began > now then began = now end
local share = ramped(began, now, ramp_up) * recovered(is[5], is[6], now)
-- A quota of a few messages has no moment's worth: one less then leaves room for the one that is given at once.
local whole = math.max(QUOTA.window / limit, (QUOTA.window - QUOTA.burst) / math.max(limit - 1, 0.98))
local interval = whole / share
local burst = math.max(QUOTA.burst, interval)
-- No permit is due any later.
local latest = now + math.max(QUOTA.rest, 2 * whole)
if next > latest then next = now end
local start = math.max(next, now)
local granted = math.max(0, math.min(count, math.floor((now - start + burst) / interval)))
if granted > 0 then
    next = math.min(math.ceil(start + granted * interval), latest)
    redis.call('HSET', quota, 'next', string.format('%.0f', next), 'used', string.format('%.0f', now),
        'began', string.format('%.0f', began))
    redis.call('PEXPIRE', quota, (QUOTA.longest_wait + QUOTA.rest) / 1000)
end
if granted == count then return { granted, 0 } end
-- It is worth asking when half of a moment's worth is there, so that it is not given one by one.
local wait = math.max(next - now, 0) + math.max(interval, burst / 2) - burst
return { granted, math.max(1, math.ceil(wait / 1000)) }
