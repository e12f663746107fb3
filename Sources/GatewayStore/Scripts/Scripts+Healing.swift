import LiveActivity
import RedisClient

// An activity that heals keeps the content of its start, and of the newest update to the whole segment, in a hash beside it:
// both as they were recorded, sealed or not, with the broadcasts that they belong to. `begin-broadcast` writes it, and an
// end deletes it; while it is there an item in the due queue has the activity looked at.
extension Scripts {
    /// For use within `begin-broadcast`: keeps a payload, or drops what is kept.
    static let keepForHealing = """
        local function keep_for_healing(activity, due, activity_id, name, payload, broadcast, now, expires_at)
            local kept, item = activity .. ':heal', 'h:' .. activity_id
            if not name then
                redis.call('DEL', kept)
                redis.call('ZREM', due, item)
                return
            end
            redis.call('HSET', kept, name, payload, name .. '_id', broadcast)
            redis.call('PEXPIREAT', kept, expires_at)
            if name == 'start' then redis.call('ZADD', due, now, item) end
        end

        """

    /// Finds the pages of a partition that hold a device to be started again: `RestartRules` for `healing`, but for what the
    /// device's user says to it. Most pages have none, which a search for marks in their update tokens shows when silence is
    /// no reason.
    ///
    /// KEYS: fate page, update page and outcome page of each page, numbers of starts. ARGV: the latest second at which a
    /// device that is silent now was started ('' when silence is no reason), the second of the activity's start, how many
    /// starts a device may get, then the first slot of each page. Reply: places of the pages, from 0 on.
    static let findToHeal = RedisScript(
        name: "find-to-heal",
        source: outcomes + """
            local byte = string.byte
            local latest, started_at, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
            local counts = KEYS[#KEYS]
            local has_counts = redis.call('EXISTS', counts) == 1

            local function has_mark(tokens, width, mark)
                local position = 0
                while true do
                    position = string.find(tokens, mark, position + 1, true)
                    if not position then return false end
                    if (position - 3) % width == 0 and byte(tokens, position - 1) == 0 then return true end
                end
            end

            local function has_somebody(fates, tokens, outcome_key, first_slot)
                local width = byte(tokens, 1) or 0
                local reach = width > 1 and math.floor((#tokens - 1) / width) or 0
                local times, codes, noted
                local function is_silent(index)
                    if not times then
                        local page = redis.call('GET', outcome_key) or '\\0'
                        local kinds, position = kinds_of(page, 2, byte(page, 1) or 0)
                        times, codes = {}, string.sub(page, position)
                        for number, kind in ipairs(kinds) do times[number] = struct.unpack('<I4', kind) end
                    end
                    return (times[byte(codes, index + 1) or 0] or started_at) <= latest
                end
                local function starts_of(index)
                    if has_counts and not noted then
                        local slots = {}
                        for place = 1, #fates do slots[place] = string.format('%.0f', first_slot + place - 1) end
                        noted = redis.call('HMGET', counts, unpack(slots))
                    end
                    return noted and tonumber(string.match(noted[index + 1] or '', '^%d+')) or 1
                end
                for index = 0, #fates - 1 do
                    local fate, mark = byte(fates, index + 1), 0
                    local cell = index < reach and 2 + index * width
                    if cell then mark = byte(tokens, cell) > 0 and -1 or byte(tokens, cell + 1) end
                    local is_meant = false
                    if mark >= 0 and fate ~= \(Fate.absent) and fate ~= \(Fate.removed) and fate < 16 then
                        is_meant = mark == \(TokenPage.deadTokenMark)
                            or mark == \(TokenPage.healingMark)
                                and (fate == \(Fate.registered) or fate == \(Fate.startUnsent))
                            or latest and fate == \(Fate.startAccepted)
                                and (mark == 0 or mark == \(TokenPage.healingMark)) and is_silent(index)
                    end
                    if is_meant then
                        local starts = starts_of(index)
                        if fate == \(Fate.registered) or fate == \(Fate.startFailed) or fate == \(Fate.startUnsent) then
                            starts = math.max(0, starts - 1)
                        end
                        if starts < most then return true end
                    end
                end
                return false
            end

            local found = {}
            for place = 0, #ARGV - 4 do
                local tokens = redis.call('GET', KEYS[3 * place + 2]) or ''
                local width = byte(tokens, 1) or 0
                if latest or width > 1 and (has_mark(tokens, width, '\\\(TokenPage.deadTokenMark)')
                    or has_mark(tokens, width, '\\\(TokenPage.healingMark)')) then
                    local fates = redis.call('GET', KEYS[3 * place + 1]) or ''
                    if has_somebody(fates, tokens, KEYS[3 * place + 3], tonumber(ARGV[4 + place])) then
                        found[#found + 1] = place
                    end
                end
            end
            return found
            """)

    /// Has an activity looked at again at a time, while it is healed.
    ///
    /// KEYS: what is kept for healing, due queue. ARGV: item, when it is due in epoch ms, page to look at next.
    /// Reply: 1, or 0 when the activity is over.
    static let postponeHealing = RedisScript(
        name: "postpone-healing",
        source: """
            if redis.call('EXISTS', KEYS[1]) == 0 then
                redis.call('ZREM', KEYS[2], ARGV[1])
                return 0
            end
            redis.call('HSET', KEYS[1], 'page', ARGV[3])
            redis.call('ZADD', KEYS[2], 'XX', ARGV[2], ARGV[1])
            return 1
            """)
}
