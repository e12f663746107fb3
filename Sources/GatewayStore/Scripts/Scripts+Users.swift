import RedisClient

extension Scripts {
    /// How many fields a user's hash may have: it is read whole, and anybody with an app can write to it.
    static let fieldsOfUser = 512

    /// Writes what a user's device has said of itself, and a push-to-start token of it, as far as they are new. See
    /// `DeviceRecord` for the number that is given to a device which was not known, and by which its tokens go.
    ///
    /// KEYS: user. ARGV: device field, device record ('' to leave it), the token's activity type, token with its time of
    /// six bytes ('' for none).
    /// Reply: -1 when the user's hash is full, 0 when nothing was written, 1 when it was and the user is in no activity,
    /// else the user's whole hash.
    static let putDevice = RedisScript(
        name: "put-device",
        source: """
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

            local key, field, record, token = KEYS[1], ARGV[1], ARGV[2], ARGV[4]
            local old = redis.call('HGET', key, field)
            local number = old and number_of(old) or ''
            local old_token = number ~= '' and token ~= '' and redis.call('HGET', key, 't' .. number .. ARGV[3])
            local is_new_record = record ~= '' and not (old and string.sub(old, #number + 1) == record)
            local is_new_token = token ~= '' and not (old_token and string.sub(old_token, 7) == string.sub(token, 7))
            if not is_new_record and not is_new_token then return 0 end
            if (not old or is_new_token and not old_token) and redis.call('HLEN', key) >= \(fieldsOfUser) then
                return -1
            end
            -- Numbers are spelled as text where they are fixed: that saves Redis the conversion.
            local version = redis.call('HINCRBY', key, 'v', '1')
            if number == '' then
                number = varint(version)
                is_new_record = true
            end
            if is_new_record and is_new_token then
                redis.call('HSET', key, field, number .. record, 't' .. number .. ARGV[3], token)
            elseif is_new_record then
                redis.call('HSET', key, field, number .. record)
            else
                redis.call('HSET', key, 't' .. number .. ARGV[3], token)
            end
            if version == 1 then return 1 end
            local all = redis.call('HGETALL', key)
            for index = 1, #all, 2 do
                if string.sub(all[index], 1, 1) == 'm' then return all end
            end
            return 1
            """)

    /// Drops each of the fields whose value begins with a time (six bytes, little-endian) not later than the one given,
    /// and goes on with the token given.
    ///
    /// KEYS: user. ARGV: time in epoch ms, token, fields. Reply: how many fields were dropped.
    static let dropToken = RedisScript(
        name: "drop-token",
        source: """
            local dropped = 0
            for position = 3, #ARGV do
                local value = redis.call('HGET', KEYS[1], ARGV[position])
                if value and string.sub(value, 7) == ARGV[2] then
                    local time = 0
                    for index = 6, 1, -1 do time = time * 256 + string.byte(value, index) end
                    if time <= tonumber(ARGV[1]) then
                        redis.call('HINCRBY', KEYS[1], 'v', 1)
                        dropped = dropped + redis.call('HDEL', KEYS[1], ARGV[position])
                    end
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
