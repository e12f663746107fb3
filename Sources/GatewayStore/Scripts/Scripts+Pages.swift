import RedisClient

// How far a broadcast is in a partition, and who works on it: a hash beside the partition's pages, so that a page's
// outcomes, counts and checkpoint are one step. `owner` is the hold of the job that began last. `pages` has a character
// for each page, see `PageProgress`.
extension Scripts {
    static let progress = """
        local function state_of(key, index)
            local pages = redis.call('HGET', key, 'pages') or string.rep('0', \(RosterGeometry.pagesPerPartition))
            return string.sub(pages, index + 1, index + 1), pages
        end

        local function set_state(key, pages, index, state)
            redis.call('HSET', key, 'pages', string.sub(pages, 1, index) .. state .. string.sub(pages, index + 2))
        end

        -- Who works on a start's partition; nil when it is closed, or the broadcast has ended.
        local function owner_of(key)
            local is = redis.call('HMGET', key, 'owner', 'closed')
            return not is[2] and is[1] or nil
        end

        """

    /// Makes a hold the one who works on an update or end in a partition.
    ///
    /// KEYS: progress, counters. ARGV: owner, expiry in epoch ms. Reply: {states of the pages, 1 if somebody worked on it
    /// before, turns of the pages}.
    static let openPartition = RedisScript(
        name: "open-partition",
        source: """
            local before = redis.call('HGET', KEYS[1], 'owner')
            redis.call('HSET', KEYS[1], 'owner', ARGV[1])
            redis.call('PEXPIREAT', KEYS[1], ARGV[2])
            return {
                redis.call('HGET', KEYS[1], 'pages') or '', before and 1 or 0, redis.call('HGET', KEYS[2], 'turns') or '',
            }
            """)

    /// Writes what became of a page of an update or end: fates, counts and checkpoint. The cells of cards that have ended
    /// lose their tokens.
    ///
    /// KEYS: progress, fate page, update page, counters, pending ends, outcome page, and untold pages if anything
    /// is to be told. ARGV: owner, index of the page in its partition, first index that has a fate, fates, cell that says
    /// that the card has ended, expiry of the update page in epoch ms, first slot of the page, how many cards have ended,
    /// first index that has an outcome, outcomes and their kinds (see `outcomes`), the indexes of the cards that have
    /// ended, then counts and by how much they grow, or `e:` with what is to be told of the page and what that is, or `t:`
    /// with the page's turn.
    /// Reply: 1, 0 when the page was finished before, -1 when somebody else works on it.
    static let finishPage = RedisScript(
        name: "finish-page",
        source: cells + fates + outcomes + progress + """
            if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return -1 end
            local state, pages = state_of(KEYS[1], ARGV[2])
            -- The call is repeated when its answer was lost.
            if state == '2' then return 0 end
            set_state(KEYS[1], pages, ARGV[2], '2')
            if ARGV[4] ~= '' then put_fates(KEYS[2], tonumber(ARGV[3]), ARGV[4]) end
            if ARGV[10] ~= '' then
                put_outcomes(KEYS[6], KEYS[2], tonumber(ARGV[9]), ARGV[10], ARGV[11], ARGV[6])
            end
            local ended = tonumber(ARGV[8])
            for position = 12, 11 + ended do
                local index = tonumber(ARGV[position])
                local old, _, width = read_cell(KEYS[3], index)
                if old then
                    write_cell(KEYS[3], index, ARGV[5], KEYS[2], ARGV[6], width)
                    if old ~= '' then redis.call('HINCRBY', KEYS[4], 'synced', -1) end
                end
                redis.call('HDEL', KEYS[5], string.format('%.0f', ARGV[7] + index))
            end
            for position = 12 + ended, #ARGV, 2 do
                if string.sub(ARGV[position], 1, 2) == 'e:' then
                    redis.call('HSET', KEYS[7], ARGV[position], ARGV[position + 1])
                    redis.call('PEXPIREAT', KEYS[7], ARGV[6])
                elseif ARGV[position] == 't:' then
                    local turns, start = redis.call('HGET', KEYS[4], 'turns') or '', \(PageTurn.length) * ARGV[2]
                    turns = turns .. string.rep(string.char(0), start - #turns)
                    turns = string.sub(turns, 1, start) .. ARGV[position + 1]
                        .. string.sub(turns, start + \(PageTurn.length + 1))
                    redis.call('HSET', KEYS[4], 'turns', turns)
                    redis.call('PEXPIREAT', KEYS[4], ARGV[6])
                else
                    redis.call('HINCRBY', KEYS[1], ARGV[position], ARGV[position + 1])
                end
            end
            return 1
            """)
}
