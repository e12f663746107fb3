-- partition-jobs (part)
--
-- The jobs of a broadcast: one for each partition of the segment, or those of its target list (`list_parts`, with
-- commas between them).
-- Includes: add-job

-- The partitions that hold slots of the segment, each once; `slots` has first and end of each range.
local function partitions_of(slots)
    local parts, added = {}, {}
    for index = 1, #slots - 7, 8 do
        local first, past = struct.unpack('<I4I4', slots, index)
        for part = math.floor(first / SIZE.slots_per_partition), math.floor((past - 1) / SIZE.slots_per_partition) do
            if not added[part] then parts[#parts + 1] = part end
            added[part] = true
        end
    end
    return parts
end

-- Adds them, and tells how many. They begin behind `turn`, the partition that the last update has come to.
local function add_jobs(stream, broadcast, activity, slots, turn, list_parts)
    local parts = partitions_of(slots)
    local function add(part) add_job(stream, broadcast, activity, string.format('%.0f', part)) end
    for _, part in ipairs(parts) do if part > turn then add(part) end end
    for _, part in ipairs(parts) do if part <= turn then add(part) end end
    if #parts > 0 then return #parts end
    local count = 0
    for part in string.gmatch(list_parts, '[^,]+') do
        add_job(stream, broadcast, activity, part)
        count = count + 1
    end
    return count
end
