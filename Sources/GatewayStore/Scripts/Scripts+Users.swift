import RedisClient

extension Scripts {
    /// How many fields a user's hash may have: it is read whole, and anybody with an app can write to it.
    static let fieldsOfUser = 512

    /// What the scripts share that compare when something was reported.
    static let versions = """
        -- Epoch ms in six bytes, the low ones first; the two highest bits are marks.
        local function time_of(value, at)
            local a, b, c, d, e, f = string.byte(value, at, at + 5)
            if not f then return 0 end
            return a + 256 * (b + 256 * (c + 256 * (d + 256 * (e + 256 * (f % 64)))))
        end

        -- Whether what is stored was reported later. A time that Redis's own clock will not reach within a minute is from a
        -- clock that was wrong, and holds nobody up.
        local function is_newer(value, at, reported)
            local stored = time_of(value, at)
            return stored > reported and stored <= redis.call('TIME')[1] * 1000 + 61000
        end

        """

    /// Writes what a user's device has said of itself, and a push-to-start token of it, each unless a later report of it is
    /// there. What is said again only gets the time of its newest report. See `DeviceRecord` for the number that is given to
    /// a device which was not known, and by which its tokens go.
    ///
    /// KEYS: user. ARGV: device field, device record ('' to leave it), the token's activity type, token ('' for none), when
    /// the report was received in six bytes.
    /// Reply: -1 when the user's hash is full, -2 when a later report is there, 0 when nothing changed, 1 when something did
    /// and the user is in no activity; else the token that was replaced and that the device has no more ('' for none), and
    /// then the user's whole hash if he is in an activity.
    static let putDevice = RedisScript(
        name: "put-device",
        source: versions + """
            local function number_of(value)
                local length = 1
                while (string.byte(value, length) or 0) >= 128 do length = length + 1 end
                return string.sub(value, 1, length)
            end

            local function varint(number)
                local bytes = ''
                while number >= 128 do
                    bytes = bytes .. string.char(number % 128 + 128)
                    number = math.floor(number / 128)
                end
                return bytes .. string.char(number)
            end

            local key, field, record, token, time = KEYS[1], ARGV[1], ARGV[2], ARGV[4], ARGV[5]
            local reported = time_of(time, 1)
            local old = redis.call('HGET', key, field)
            local number = old and number_of(old) or ''
            -- Records that have a time have another format in their first byte.
            local format = old and string.byte(old, #number + 1) or 0
            local is_timed = format >= 64 and format < 96
            local puts_record = record ~= '' and not (is_timed and is_newer(old, #number + 2, reported))
            local changes_record = puts_record
                and not (is_timed and string.char(format - 32) .. string.sub(old, #number + 8) == record)
            local old_token = number ~= '' and token ~= '' and redis.call('HGET', key, 't' .. number .. ARGV[3])
            local puts_token = token ~= '' and not (old_token and is_newer(old_token, 1, reported))
            local changes_token = puts_token
                and not (old_token and string.byte(old_token, 6) < 64 and string.sub(old_token, 7) == token)
            if not puts_record and not puts_token then return -2 end
            local is_change = changes_record or changes_token
            if (not old or changes_token and not old_token) and redis.call('HLEN', key) >= \(fieldsOfUser) then
                return -1
            end
            -- Numbers are spelled as text where they are fixed: that saves Redis the conversion.
            local version = is_change and redis.call('HINCRBY', key, 'v', '1')
            local value
            if puts_record then
                value = string.char(string.byte(record, 1) + 32) .. time .. string.sub(record, 2)
            end
            if number == '' then
                number = varint(version)
                value = value or ''
            end
            if value and puts_token then
                redis.call('HSET', key, field, number .. value, 't' .. number .. ARGV[3], time .. token)
            elseif value then
                redis.call('HSET', key, field, number .. value)
            else
                redis.call('HSET', key, 't' .. number .. ARGV[3], time .. token)
            end
            if not is_change then return 0 end
            if version == 1 then return 1 end
            local replaced = changes_token and old_token and string.sub(old_token, 7) or ''
            if replaced == token then replaced = '' end
            local all, is_member = redis.call('HGETALL', key), false
            for index = 1, #all, 2 do
                if string.sub(all[index], 1, 1) == 'm' then
                    is_member = true
                elseif replaced ~= '' and string.sub(all[index], 1, 1 + #number) == 't' .. number
                    and string.sub(all[index + 1], 7) == replaced then
                    replaced = ''
                end
            end
            if not is_member and replaced == '' then return 1 end
            if not is_member then return { replaced } end
            table.insert(all, 1, replaced)
            return all
            """)

    /// Marks a token of a device, of whatever type, that it is not to be pushed to: see `UserRecord.Token`. One that was
    /// reported later than the time given is left.
    ///
    /// KEYS: user. ARGV: the device's number as fields spell it, token, time in six bytes, mark.
    /// Reply: 0 when nothing was marked, 1 when it was and the user is in no activity, else the user's whole hash.
    static let markToken = RedisScript(
        name: "mark-token",
        source: versions + """
            local prefix, latest, mark = 't' .. ARGV[1], time_of(ARGV[3], 1), tonumber(ARGV[4])
            local all, is_marked, is_member = redis.call('HGETALL', KEYS[1]), false, false
            for index = 1, #all, 2 do
                local name, value = all[index], all[index + 1]
                if string.sub(name, 1, 1) == 'm' then
                    is_member = true
                elseif string.sub(name, 1, #prefix) == prefix and string.sub(value, 7) == ARGV[2]
                    and time_of(value, 1) <= latest then
                    local top = string.byte(value, 6)
                    if math.floor(top / mark) % 2 == 0 then
                        local marked = string.sub(value, 1, 5) .. string.char(top + mark) .. string.sub(value, 7)
                        redis.call('HSET', KEYS[1], name, marked)
                        is_marked = true
                    end
                end
            end
            if not is_marked then return 0 end
            redis.call('HINCRBY', KEYS[1], 'v', 1)
            return is_member and redis.call('HGETALL', KEYS[1]) or 1
            """)

    /// Drops each of the fields whose value begins with a time (six bytes, little-endian) not later than the one given,
    /// and goes on with the token given.
    ///
    /// KEYS: user. ARGV: time in epoch ms, token, fields. Reply: how many fields were dropped.
    static let dropToken = RedisScript(
        name: "drop-token",
        source: versions + """
            local dropped = 0
            for position = 3, #ARGV do
                local value = redis.call('HGET', KEYS[1], ARGV[position])
                if value and string.sub(value, 7) == ARGV[2] and time_of(value, 1) <= tonumber(ARGV[1]) then
                    redis.call('HINCRBY', KEYS[1], 'v', 1)
                    dropped = dropped + redis.call('HDEL', KEYS[1], ARGV[position])
                end
            end
            return dropped
            """)

    /// Notes the name that iOS gave to a card.
    ///
    /// KEYS: user. ARGV: field, value. Reply: 1, or 0 when the user's hash is full.
    static let nameCard = RedisScript(
        name: "name-card",
        source: """
            if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= \(fieldsOfUser) then
                return 0
            end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
            return 1
            """)
}
