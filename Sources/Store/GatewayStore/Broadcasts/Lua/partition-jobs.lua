-- partition-jobs (part)
--
-- The jobs of a broadcast: one for each partition of the segment, or those of its target list (`list_parts`, separated
-- by commas). Devices that follow a channel need no job by partition, because one push to the channel reaches them all.
-- Includes: add-job

-- The kinds of route that have a channel. `channels` has kind, '=' and address, separated by commas.
local function kinds_of(channels)
    local kinds, has = {}, {}
    for kind in string.gmatch(channels, '(%d+)=[^,]*') do
        kinds[#kinds + 1] = kind
        has[tonumber(kind)] = true
    end
    return kinds, has
end

-- The partitions that hold slots of the segment, each once, without kinds that have a channel. `slots` has first and
-- end of each range.
local function partitions_of(slots, has_channel)
    local parts, added = {}, {}
    for index = 1, #slots - 7, 8 do
        local first, past = struct.unpack('<I4I4', slots, index)
        for part = math.floor(first / SIZE.slots_per_partition), math.floor((past - 1) / SIZE.slots_per_partition) do
            local kind = math.floor(part / SIZE.partitions_per_band)
            if not added[part] and not has_channel[kind] then parts[#parts + 1] = part end
            added[part] = true
        end
    end
    return parts
end

-- The number of pushes to channels. It doubles if they are sent once more after a start.
local function pushes_to(channels, after_start) return (after_start and 2 or 1) * #kinds_of(channels) end

-- The number of devices in the bands of kinds that have a channel.
local function slots_with_channel(slots, channels)
    local _, has_channel = kinds_of(channels)
    local number = 0
    for index = 1, #slots - 7, 8 do
        local first, past = struct.unpack('<I4I4', slots, index)
        if has_channel[math.floor(first / (SIZE.slots_per_partition * SIZE.partitions_per_band))] then
            number = number + past - first
        end
    end
    return number
end

-- The jobs of channels, and the others. The first of these is the one after `turn`, the partition of the last update.
-- With `after_start`, each channel has two jobs.
local function jobs_of(slots, turn, channels, list_parts, after_start)
    local kinds, has_channel = kinds_of(channels)
    local to_channels, others = {}, {}
    for _, kind in ipairs(kinds) do
        to_channels[#to_channels + 1] = '=' .. kind
        if after_start then to_channels[#to_channels + 1] = '+' .. kind end
    end
    local parts = partitions_of(slots, has_channel)
    local function add(part) others[#others + 1] = string.format('%.0f', part) end
    for _, part in ipairs(parts) do if part > turn then add(part) end end
    for _, part in ipairs(parts) do if part <= turn then add(part) end end
    if #to_channels + #others == 0 then
        for part in string.gmatch(list_parts, '[^,]+') do others[#others + 1] = part end
    end
    return to_channels, others
end

local function add_jobs(stream, parts, broadcast, activity)
    for _, part in ipairs(parts) do add_job(stream, broadcast, activity, part) end
end
