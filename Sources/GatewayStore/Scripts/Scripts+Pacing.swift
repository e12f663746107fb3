// When an update may leave, and which timestamp it has. Updates of an activity to the whole segment leave at once, two in
// a row, and then one in each interval (the generic cell rate algorithm, GCRA, with a burst of two). One that has to wait
// is recorded all the same; the next one replaces it before it has begun, and takes over its time. So at most one waits,
// it is the newest, and as many timestamps are used as updates leave.
//
// An update to a target list need not be newer than all of the activity, only than what its own devices have. Which
// devices have had which timestamp is noted for some seconds, a hash for each timestamp. While one to the whole segment
// waits, a list waits with it: it must come after it, and the next one to the whole segment replaces both. So lists in
// between use no timestamps either.
extension Scripts {
    /// How long an update waits at most, whatever becomes of the clock.
    static let longestWait = 60_000
    /// Up to how many devices of a target list are noted one by one.
    static let notedDevices = 512

    /// For use within begin-broadcast.
    static let pacing = """
        local function is_replaceable(broadcast, now)
            local is = redis.call('HMGET', broadcast, 'state', 'not_before')
            return is[1] == 'queued' and (tonumber(is[2]) or 0) > now
        end

        -- The newest older update for the same devices, if it has not begun.
        local function older_update(open, prefix, whole, scope)
            local newest, found = -1, nil
            for index = 1, #open, 2 do
                local id, kind, extent = string.match(open[index + 1], '^(.-):(.-):(.-)$')
                local order = tonumber(open[index])
                if kind == 'update' and (extent == 'whole') == whole and order > newest then
                    local is = redis.call('HMGET', prefix .. id, 'state', 'not_before', 'timestamp', 'scope')
                    if is[1] == 'queued' and (whole or is[4] == scope) then
                        newest, found = order, { id = id, not_before = tonumber(is[2]) or 0, timestamp = tonumber(is[3]) }
                    end
                end
            end
            return found
        end

        -- When the next update of an activity may leave.
        local function next_turn(activity, now, interval)
            -- The clock, or the interval, may have been set back.
            local pace = math.min(tonumber(redis.call('HGET', activity, 'pace')) or 0, now + 3 * interval)
            redis.call('HSET', activity, 'pace', string.format('%.0f', math.max(pace, now) + interval))
            return math.max(now, pace - interval)
        end

        local function slots_of(packed)
            local slots = { '*' }
            for index = 1, #packed - 3, 4 do
                slots[#slots + 1] = string.format('%.0f', (struct.unpack('<I4', packed, index)))
            end
            return slots
        end

        -- The newest timestamp that anything has left with; `noted` was known before, `last` is the newest of all. What
        -- waits is taken back by an update to the whole segment, and leaves within two seconds of its timestamp.
        local function used_timestamp(noted, last, now)
            local near = math.floor(now / 1000) + 2
            -- Nothing waits for so long: the clock has been set back.
            if last > near + \(longestWait / 1000) then return last end
            return math.max(noted or 0, math.min(last, near))
        end

        -- Forgets which devices were to have timestamps that have been taken back.
        local function forget_timestamps(activity, newest, last)
            for second = newest + 1, math.min(last, newest + \(longestWait / 1000)) do
                redis.call('DEL', activity .. ':t:' .. string.format('%.0f', second))
            end
        end

        -- The smallest timestamp from `first` on that is newer than all that the devices have; `last` is the activity's.
        local function list_timestamp(activity, first, last, packed)
            if packed == '' then return math.max(first, last + 1) end
            -- So many are not looked through; newer than all is newer than theirs.
            if last - first > \(longestWait / 1000) then return last + 1 end
            local slots = slots_of(packed)
            for second = last, first, -1 do
                local key = activity .. ':t:' .. string.format('%.0f', second)
                if redis.call('EXISTS', key) == 1 then
                    local noted = redis.call('HMGET', key, unpack(slots))
                    for index = 1, #slots do if noted[index] then return second + 1 end end
                end
            end
            return first
        end

        local function note_timestamp(activity, now, timestamp, packed)
            local key, fields = activity .. ':t:' .. string.format('%.0f', timestamp), {}
            local slots = slots_of(packed)
            for index = #slots > 1 and 2 or 1, #slots do
                fields[#fields + 1] = slots[index]
                fields[#fields + 1] = '1'
            end
            redis.call('HSET', key, unpack(fields))
            redis.call('PEXPIRE', key, string.format('%.0f', math.max(0, timestamp * 1000 - now) + 5000))
        end

        """
}
