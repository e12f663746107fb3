import RedisClient

extension Scripts {
    /// Makes an activity visible, unless it is that already, and puts its end into the due queue.
    ///
    /// KEYS: activity, due queue. ARGV: expiry in epoch ms, item, when it is due in epoch ms, then fields and values.
    /// Reply: 1 when it was made, else 0.
    static let makeActivity = RedisScript(
        name: "make-activity",
        source: """
            if redis.call('HEXISTS', KEYS[1], 'reserved') == 1 then return 0 end
            redis.call('HSET', KEYS[1], unpack(ARGV, 4))
            redis.call('PEXPIREAT', KEYS[1], ARGV[1])
            redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
            return 1
            """)

    /// Sets slots aside for devices that are about to join a registered activity.
    ///
    /// KEYS: activity. ARGV: how many, the most slots that an activity may have.
    /// Reply: the first slot, or nil when the activity is not in state `registered` or is full.
    static let reserveSlots = RedisScript(
        name: "reserve-slots",
        source: """
            local is = redis.call('HMGET', KEYS[1], 'state', 'reserved')
            if is[1] ~= '0' or (tonumber(is[2]) or 0) + ARGV[1] > tonumber(ARGV[2]) then return false end
            return redis.call('HINCRBY', KEYS[1], 'reserved', ARGV[1]) - ARGV[1]
            """)

    /// Makes slots, once they are filled, part of the segment. A start that came in between has not seen them.
    ///
    /// KEYS: activity, roster lock. ARGV: first slot, end, devices, users (negative when they leave), the lock's token.
    /// Reply: 1, or 0 when the lock has run out or the activity is no longer in state `registered`.
    static let confirmSlots = RedisScript(
        name: "confirm-slots",
        source: """
            if redis.call('GET', KEYS[2]) ~= ARGV[5] then return 0 end
            if redis.call('HGET', KEYS[1], 'state') ~= '0' then return 0 end
            local first, past = tonumber(ARGV[1]), tonumber(ARGV[2])
            if first < past then
                local ranges = redis.call('HGET', KEYS[1], 'slots') or ''
                local pair = struct.pack('<I4I4', first, past)
                if #ranges >= 8 and struct.unpack('<I4', ranges, #ranges - 3) == first then
                    ranges = string.sub(ranges, 1, #ranges - 4) .. string.sub(pair, 5)
                else
                    ranges = ranges .. pair
                end
                redis.call('HSET', KEYS[1], 'slots', ranges)
            end
            redis.call('HINCRBY', KEYS[1], 'devices', ARGV[3])
            redis.call('HINCRBY', KEYS[1], 'users', ARGV[4])
            return 1
            """)

    /// The one atomic step of a start, update or end: the change of state, the durable record of the broadcast and its
    /// jobs. For a start also the lock, a `SET NX` that exactly one of any number of callers wins. Older broadcasts that
    /// this one leaves nothing to do for are told so. The activity's item in the due queue follows its state. A broadcast
    /// that comes from an item is recorded only if the item is still there, and takes it away: that is what makes it one,
    /// however many gateways have seen the item.
    ///
    /// A start for those whom the activity's start has left out takes no start lock. It comes with the lock on restarts,
    /// which is given back in this step.
    ///
    /// KEYS: activity, start lock, broadcast, roster lock, open broadcasts, unfinished broadcasts, streams of the
    /// lanes small, first, updates, due queue, lock on restarts. ARGV: kind, expected state, next state, broadcast id, activity id, now in epoch ms,
    /// payload before and after the timestamp (or sealed, and ''), expiry of lock and record in epoch ms, 'whole' or 'slots', how many slots
    /// are addressed (0 with 'whole'), what the keys of the activity's broadcasts begin with, the activity's item in the
    /// due queue, when that is due next ('' when this does not change), reason of an end, the schedule that is carried out
    /// with its name and version ('' for none), what the lock on restarts was taken with ('' when this is none), the
    /// interval between updates in ms (0 for none), the slots of a short target list in four bytes each (else ''), then
    /// fields and values of the record.
    /// Reply: {2} when it was done before, {3} when the schedule is no longer due, {0, state} when the state is another, the
    /// lock is taken or lost or the segment is being changed, else {1, timestamp, order number, confirmed slots, updates in this hour, ids of the broadcasts that are superseded now, ids of
    /// older updates to target lists, when the broadcast may leave in epoch ms}.
    static let beginBroadcast = RedisScript(
        name: "begin-broadcast",
        source: addJob + endSchedule + pacing + keepForHealing + """
            if redis.call('EXISTS', KEYS[3]) == 1 then return { 2 } end
            local kind, whole, now = ARGV[1], ARGV[10] == 'whole', tonumber(ARGV[6])
            local is = redis.call('HMGET', KEYS[1], 'state', 'timestamp', 'slots', 'hour', 'hour_updates', 'devices',
                'whole_timestamp', 'turn', 'heal', 'used_timestamp')
            local schedule = ARGV[16]
            if schedule ~= '' and not is_waiting(KEYS[1], KEYS[10], ARGV[5], schedule, ARGV[18]) then return { 3 } end
            if is[1] ~= ARGV[2] then return { 0, is[1] or '' } end
            local restart, first_start = ARGV[19] ~= '', kind == 'start' and ARGV[19] == ''
            if restart and redis.call('GET', KEYS[11]) ~= ARGV[19] then return { 0, 'changing' } end
            if restart then redis.call('DEL', KEYS[11]) end
            if first_start and redis.call('EXISTS', KEYS[4]) == 1 then return { 0, 'changing' } end
            if first_start and not redis.call('SET', KEYS[2], ARGV[4], 'NX') then return { 0, '1' } end

            -- When it leaves, and its timestamp.
            local interval, packed, leave = tonumber(ARGV[20]), ARGV[21], now
            local open = kind ~= 'start' and redis.call('HGETALL', KEYS[5]) or {}
            local last, timestamp, before = tonumber(is[2]) or 0, nil, nil
            local used = interval >= 1000 and used_timestamp(tonumber(is[10]), last, now)
            if kind == 'update' and interval > 0 then
                local scope
                for index = 22, #ARGV, 2 do if ARGV[index] == 'scope' then scope = ARGV[index + 1] end end
                before = older_update(open, ARGV[12], whole, scope)
                local waiting = not whole and used and older_update(open, ARGV[12], true)
                if waiting and waiting.not_before > now then leave = waiting.not_before end
                if before and before.not_before > now then
                    leave = math.max(leave, before.not_before)
                elseif whole then
                    leave = next_turn(KEYS[1], now, interval)
                end
            end
            if whole or interval == 0 then
                local base = used or last
                -- One that never leaves has used no timestamp.
                if not used and before and before.timestamp == last and (before.not_before > now or leave <= now) then
                    base = last - 1
                end
                timestamp = math.max(math.floor(leave / 1000), base + 1)
                if used then forget_timestamps(KEYS[1], timestamp, last) end
                last = timestamp
            else
                local first = math.max(math.floor(leave / 1000), (tonumber(is[7]) or last) + 1)
                timestamp = list_timestamp(KEYS[1], first, last, packed)
                if before and before.not_before > now and before.timestamp >= first
                    and timestamp == before.timestamp + 1 then
                    timestamp = before.timestamp
                end
                -- A card that is ended gets nothing after that: nothing need be newer than its end.
                if kind ~= 'end' then
                    note_timestamp(KEYS[1], now, timestamp, packed)
                    last = math.max(last, timestamp)
                end
            end
            if kind == 'update' and interval >= 1000 then
                leave = math.max(leave, math.min((timestamp - 2) * 1000, now + \(longestWait)))
            end
            if used and (whole or kind ~= 'end') and (leave <= now or leave < (timestamp - 2) * 1000) then
                used = math.max(used, timestamp)
            end
            local spelled = string.format('%.0f', timestamp)
            if whole then redis.call('HSET', KEYS[1], 'whole_timestamp', spelled) end
            local updates = 0
            if kind == 'update' then
                local hour = string.format('%.0f', math.floor(now / 3600000))
                updates = (is[4] == hour and tonumber(is[5]) or 0) + 1
                redis.call('HSET', KEYS[1], 'hour', hour, 'hour_updates', updates)
            end
            local order = redis.call('HINCRBY', KEYS[1], 'order', 1)
            redis.call('HSET', KEYS[1], 'state', ARGV[3], 'timestamp', string.format('%.0f', last))
            if used then redis.call('HSET', KEYS[1], 'used_timestamp', string.format('%.0f', used)) end
            if first_start then
                redis.call('HSET', KEYS[1], 'started_at', ARGV[6], 'start', ARGV[10])
                redis.call('PEXPIREAT', KEYS[2], ARGV[9])
            end
            if ARGV[3] == '2' then
                redis.call('HSET', KEYS[1], 'ended_at', ARGV[6], 'end_broadcast', ARGV[4], 'end_reason', ARGV[15])
                redis.call('ZREM', KEYS[10], ARGV[13])
            elseif ARGV[14] ~= '' then
                redis.call('ZADD', KEYS[10], ARGV[14], ARGV[13])
            end
            if schedule ~= '' then
                redis.call('HSET', KEYS[1], 'schedule', schedule, 'schedule_name', ARGV[17])
                end_schedule(KEYS[1], KEYS[10], ARGV[5], schedule, ARGV[6], 'done', 'broadcast', ARGV[4])
            else
                redis.call('HDEL', KEYS[1], 'schedule', 'schedule_name')
            end

            -- Of an activity with catch_up the content of the newest update is kept.
            if ARGV[3] == '2' or kind == 'update' and whole then
                local kept = redis.call('HMGET', KEYS[1], 'catch_up', 'newest_update')
                if kept[2] then
                    local state = redis.call('HGET', ARGV[12] .. kept[2], 'state')
                    if state ~= 'queued' and state ~= 'running' then
                        redis.call('HDEL', ARGV[12] .. kept[2], 'payload', 'scope')
                    end
                    redis.call('HDEL', KEYS[1], 'newest_update', 'newest_order')
                end
                if kept[1] and kind == 'update' then
                    redis.call('HSET', KEYS[1], 'newest_update', ARGV[4], 'newest_order', order)
                end
            end

            local payload = ARGV[8] == '' and ARGV[7] or ARGV[7] .. spelled .. ARGV[8]
            local healed = first_start and 'start' or kind == 'update' and whole and 'update'
            if is[9] and (healed or ARGV[3] == '2') then
                keep_for_healing(KEYS[1], KEYS[10], ARGV[5], healed, payload, ARGV[4], ARGV[6], ARGV[9])
            end

            local superseded, lists = {}, {}
            for index = 2, #open, 2 do
                local id, older, scope = string.match(open[index], '^(.-):(.-):(.-)$')
                if redis.call('EXISTS', ARGV[12] .. id) == 0 then
                    -- Its record has vanished: to write into it would make another.
                    redis.call('HDEL', KEYS[5], open[index - 1])
                elseif whole and (kind == 'end' or older == 'update') or not whole and before and before.id == id
                    and before.not_before > now then
                    -- What has begun goes on until this one leaves; from then on it counts as superseded.
                    if leave <= now or is_replaceable(ARGV[12] .. id, now) then
                        redis.call('HSET', ARGV[12] .. id, 'superseded', '1')
                        superseded[#superseded + 1] = id
                    else
                        redis.call('HSETNX', ARGV[12] .. id, 'superseded', string.format('%.0f', leave))
                    end
                elseif not whole and older == 'update' and scope == 'slots' then
                    lists[#lists + 1] = id
                end
            end
            redis.call('HSET', KEYS[5], order, ARGV[4] .. ':' .. kind .. ':' .. ARGV[10])
            if restart then
                -- For those that wait for their turn, see `RestartMark`.
                local scope
                for index = 22, #ARGV, 2 do if ARGV[index] == 'scope' then scope = ARGV[index + 1] end end
                local restarts = KEYS[1] .. ':restarts'
                redis.call('LPUSH', restarts, struct.pack('<I4', order) .. (scope or ''))
                redis.call('LTRIM', restarts, 0, \(RestartMark.keptRestarts - 1))
                redis.call('PEXPIRE', restarts, \(RestartMark.keptFor))
            end
            redis.call('PEXPIREAT', KEYS[5], ARGV[9])
            redis.call('ZADD', KEYS[6], ARGV[9], ARGV[5] .. ':' .. ARGV[4])

            local devices = tonumber(whole and is[6] or ARGV[11]) or 0
            local stream = devices <= \(JobLane.smallBroadcast) and KEYS[7] or kind == 'update' and KEYS[9] or KEYS[8]
            local jobs, parts = 0, {}
            local function add(part)
                add_job(stream, ARGV[4], ARGV[5], string.format('%.0f', part))
                jobs = jobs + 1
            end
            if whole then
                local slots, added = is[3] or '', {}
                for index = 1, #slots - 7, 8 do
                    local first, past = struct.unpack('<I4I4', slots, index)
                    local last = math.floor((past - 1) / \(RosterGeometry.slotsPerPartition))
                    first = math.floor(first / \(RosterGeometry.slotsPerPartition))
                    for part = first, last do
                        if not added[part] then parts[#parts + 1] = part end
                        added[part] = true
                    end
                end
                -- An update begins behind the partition that the last one has come to.
                local turn = kind == 'update' and tonumber(is[8]) or -1
                for _, part in ipairs(parts) do if part > turn then add(part) end end
                for _, part in ipairs(parts) do if part <= turn then add(part) end end
            end
            if jobs == 0 then
                add_job(stream, ARGV[4], ARGV[5], '*')
                jobs = 1
            end
            redis.call('HSET', KEYS[3], 'kind', kind, 'state', 'queued', 'created_at', ARGV[6], 'order', order,
                'timestamp', spelled, 'payload', payload, 'jobs', jobs, 'updates', updates,
                unpack(ARGV, 22))
            if leave > now then redis.call('HSET', KEYS[3], 'not_before', string.format('%.0f', leave)) end
            redis.call('PEXPIREAT', KEYS[3], ARGV[9])
            redis.call('HSET', KEYS[3], 'devices', devices)
            local recent = KEYS[1] .. ':recent'
            redis.call('LPUSH', recent, ARGV[4])
            redis.call('LTRIM', recent, 0, \(ActivityStatus.recentBroadcasts - 1))
            redis.call('PEXPIREAT', recent, ARGV[9])
            return { 1, timestamp, order, is[3] or '', updates, table.concat(superseded, ','),
                table.concat(lists, ','), math.floor(leave) }
            """)

    /// Ends an activity that was never started.
    ///
    /// KEYS: activity, due queue. ARGV: now in epoch ms, the activity's id and its item in the queue, reason, the schedule
    /// that is carried out and its version ('' for none).
    /// Reply: 1, 0 when the activity is not in state `registered`, 3 when the schedule is no longer due.
    static let cancel = RedisScript(
        name: "cancel",
        source: endSchedule + """
            if ARGV[5] ~= '' and not is_waiting(KEYS[1], KEYS[2], ARGV[2], ARGV[5], ARGV[6]) then return 3 end
            if redis.call('HGET', KEYS[1], 'state') ~= '0' then return 0 end
            redis.call('HSET', KEYS[1], 'state', '2', 'ended_at', ARGV[1], 'end_reason', ARGV[4])
            redis.call('ZREM', KEYS[2], ARGV[3])
            if ARGV[5] ~= '' then end_schedule(KEYS[1], KEYS[2], ARGV[2], ARGV[5], ARGV[1], 'done') end
            return 1
            """)

    /// A timestamp for a push to one card, which is that card's last: now, or just after the activity's newest.
    ///
    /// KEYS: activity. ARGV: now in epoch seconds. Reply: the timestamp.
    static let nextTimestamp = RedisScript(
        name: "next-timestamp",
        source: """
            return math.max(tonumber(ARGV[1]), (tonumber(redis.call('HGET', KEYS[1], 'timestamp')) or 0) + 1)
            """)

    /// Gives a lock back, if it is still the caller's.
    ///
    /// KEYS: lock. ARGV: the caller's token. Reply: 1 or 0.
    static let unlock = RedisScript(
        name: "unlock",
        source: """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('DEL', KEYS[1])
            """)
}
