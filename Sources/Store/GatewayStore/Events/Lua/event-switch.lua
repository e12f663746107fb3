-- event-switch (part)
--
-- Updates `on` after a change of the event settings.

local function switch(key)
    local on = '0'
    local settings = redis.call('HGETALL', key)
    for index = 1, #settings, 2 do
        local name = settings[index]
        if name == 'stream' and settings[index + 1] == '1' or string.sub(name, 1, 2) == 'w:' then on = '1' end
    end
    redis.call('HSET', key, 'on', on)
end
