-- drivers (part)
--
-- Records and reads the last driver of an activity, for reports of taps: a named schedule, or a call. A schedule of a
-- user's app drives only the Live Activities of that user. A hash beside the activity (`:driven`) keeps it by user
-- until the activity is driven for other users as well.
--
-- `note_driver` records the driver, before its schedule has ended. The parameter `is` has the activity's fields. Its
-- field `driven` is set while the hash may exist. `driver` returns the last one: the schedule and its name, or two
-- empty texts.
-- Includes: schedules

local function note_driver(activity, is, schedule, name, expires_at)
    local owner = schedule ~= '' and owner_of(activity, schedule)
    local driven = activity .. ':driven'
    if owner then
        redis.call('HSET', activity, 'driven', '1')
        redis.call('HSET', driven, owner, schedule .. ':' .. name)
        redis.call('PEXPIREAT', driven, expires_at)
        return
    end
    if is.driven then
        redis.call('UNLINK', driven)
        redis.call('HDEL', activity, 'driven')
    end
    if schedule ~= '' then
        redis.call('HSET', activity, 'schedule', schedule, 'schedule_name', name)
    elseif is.schedule then
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
