import RedisClient

extension Scripts {
    /// Counts the slots of some pages by what became of them, so that the pages need not be sent.
    ///
    /// KEYS: fate page and update page of each page. ARGV: for each page how many ranges of its slots belong to the segment,
    /// then first index and end of each. Reply: {key, count ...}; the key is the fate, plus 256 when the slot has not
    /// ended and holds an update token, plus 512 when its update token is dead, plus 768 when its card is there without one.
    static let countStates = RedisScript(
        name: "count-states",
        source: """
            local byte = string.byte
            local counts, argument = {}, 1
            for page = 1, #KEYS, 2 do
                local fates = redis.call('GET', KEYS[page]) or ''
                local tokens = redis.call('GET', KEYS[page + 1]) or ''
                local width = byte(tokens, 1) or 0
                local reach = width > 1 and math.floor((#tokens - 1) / width) or 0
                for range = 1, tonumber(ARGV[argument]) do
                    local first = tonumber(ARGV[argument + 1])
                    local cell = 2 + first * width
                    for index = first + 1, math.min(tonumber(ARGV[argument + 2]), #fates) do
                        local key = byte(fates, index)
                        if index <= reach and key < 16 then
                            if byte(tokens, cell) > 0 then
                                key = key + \(UpdateTokenState.present.countKey)
                            else
                                local mark = byte(tokens, cell + 1)
                                if mark == \(TokenPage.deadTokenMark) then
                                    key = key + \(UpdateTokenState.dead.countKey)
                                elseif mark == \(TokenPage.cardShownMark) then
                                    key = key + \(UpdateTokenState.shown.countKey)
                                end
                            end
                        end
                        counts[key] = (counts[key] or 0) + 1
                        cell = cell + width
                    end
                    argument = argument + 2
                end
                argument = argument + 1
            end
            local reply = {}
            for key, count in pairs(counts) do
                reply[#reply + 1] = key
                reply[#reply + 1] = count
            end
            return reply
            """)

    /// Counts a tap, and tells what last drove the activity.
    ///
    /// KEYS: activity. Reply: nil when the activity is gone, else {schedule or '', its name or ''}.
    static let noteTap = RedisScript(
        name: "note-tap",
        source: """
            if redis.call('EXISTS', KEYS[1]) == 0 then return false end
            redis.call('HINCRBY', KEYS[1], 'taps', 1)
            local is = redis.call('HMGET', KEYS[1], 'schedule', 'schedule_name')
            return { is[1] or '', is[2] or '' }
            """)
}
