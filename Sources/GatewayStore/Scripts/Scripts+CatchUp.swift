import RedisClient

// Activities with `catch_up` keep the content of their newest update to the whole segment, for devices that report their
// token later. So that no device is sent it twice, each reading of a page for an update is noted beside the page: the
// update's order number in four bytes, and a bit for each slot that held a token then. A token that is written clears its
// slot's bit. The page's reading, and the token's writing, are one step each; so the bit says exactly whether the update
// has met this token.
extension Scripts {
    /// Reads a page for an update.
    ///
    /// KEYS: update page, fate page, note of the reading. ARGV: the update's order number, expiry of the note in epoch ms.
    /// Reply: {update page, fate page}.
    static let readForUpdate = RedisScript(
        name: "read-for-update",
        source: """
            local tokens, fates = redis.call('GET', KEYS[1]) or '', redis.call('GET', KEYS[2]) or ''
            local noted = redis.call('GETRANGE', KEYS[3], 0, 3)
            if #noted == 4 and struct.unpack('<I4', noted) > tonumber(ARGV[1]) then return { tokens, fates } end
            local width, bits = string.byte(tokens, 1) or 0, {}
            for first = 0, width > 0 and #fates - 1 or -1, 8 do
                local byte = 0
                for index = first, first + 7 do
                    local length = string.byte(tokens, 2 + index * width) or 0
                    byte = byte * 2 + (length > 0 and 1 or 0)
                end
                bits[#bits + 1] = string.char(byte)
            end
            redis.call('SET', KEYS[3], struct.pack('<I4', ARGV[1]) .. table.concat(bits), 'PXAT', ARGV[2])
            return { tokens, fates }
            """)

    /// The update whose content is kept.
    ///
    /// KEYS: activity. ARGV: what the keys of the activity's broadcasts begin with. Reply: {id, order number, '1' when its
    /// fan-out has ended, else ''}, or nil when there is none.
    static let newestUpdate = RedisScript(
        name: "newest-update",
        source: """
            local newest = redis.call('HMGET', KEYS[1], 'newest_update', 'newest_order')
            if not newest[1] or not newest[2] then return false end
            local state = redis.call('HGET', ARGV[1] .. newest[1], 'state')
            return { newest[1], newest[2], (state == 'queued' or state == 'running') and '' or '1' }
            """)

    /// Whether an update has met the token of a slot, or will.
    ///
    /// KEYS: note of the reading. ARGV: the update's order number, index, '1' when its fan-out has ended. Reply: 1 or 0.
    static let hasMet = RedisScript(
        name: "has-met",
        source: """
            local noted = redis.call('GETRANGE', KEYS[1], 0, 3)
            if #noted < 4 or struct.unpack('<I4', noted) < tonumber(ARGV[1]) then
                -- The page will still be read; or it never was, because the update was stopped.
                return ARGV[3] == '1' and 0 or 1
            end
            return redis.call('GETBIT', KEYS[1], 32 + ARGV[2])
            """)

    /// Notes that an update is sent to a slot by itself.
    ///
    /// KEYS: note of the reading. ARGV: the update's order number, index, expiry of the note in epoch ms. Reply: 1.
    static let noteMet = RedisScript(
        name: "note-met",
        source: """
            local noted = redis.call('GETRANGE', KEYS[1], 0, 3)
            local order = #noted == 4 and struct.unpack('<I4', noted) or 0
            if order > tonumber(ARGV[1]) then return 1 end
            if order < tonumber(ARGV[1]) then
                redis.call('SET', KEYS[1], struct.pack('<I4', ARGV[1]), 'PXAT', ARGV[3])
            end
            redis.call('SETBIT', KEYS[1], 32 + ARGV[2], 1)
            return 1
            """)
}
