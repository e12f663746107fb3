-- drivers (part)
--
-- What last drove an activity, for whoever taps it: a schedule, as the activity names it, or a call. A schedule of a
-- user's app has driven the Live Activities of that user alone; a hash beside the activity (`:driven`) names it under
-- the user, until something drives the activity for others as well.
--
-- `note_driver` is told what drives it now, before a schedule has ended; `driver` tells what last did: the schedule and
-- its name, or two empty texts.
-- Includes: schedules

local function note_driver(activity, schedule, name, expires_at)
    local owner = schedule ~= '' and owner_of(activity, schedule)
    local driven = activity .. ':driven'
    if owner then
        redis.call('HSET', driven, owner, schedule .. ':' .. name)
        redis.call('PEXPIREAT', driven, expires_at)
        return
    end
    redis.call('UNLINK', driven)
    if schedule ~= '' then
        redis.call('HSET', activity, 'schedule', schedule, 'schedule_name', name)
    else
        redis.call('HDEL', activity, 'schedule', 'schedule_name')
    end
end

local function driver(activity, user)
    local own = redis.call('HGET', activity .. ':driven', user)
    if own then
        local schedule, name = string.match(own, '^([^:]*):(.*)$')
        return { schedule, name }
    end
    local is = redis.call('HMGET', activity, 'schedule', 'schedule_name')
    return { is[1] or '', is[2] or '' }
end
