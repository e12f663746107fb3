-- outcomes (part)
--
-- Records the outcomes of the last pushes to a run of slots. A page is written whole, so it takes no more memory than
-- it needs.
-- Includes: outcome-kinds, page-writing

-- Frees a number for a new kind: the oldest kind merges into the next one with the same reason. If all reasons differ,
-- the first kind's outcomes are dropped.
local function merge_oldest(kinds, slots)
    local function time(kind) return struct.unpack('<I4', kind) end
    local oldest, next
    for number, kind in ipairs(kinds) do
        for other, candidate in ipairs(kinds) do
            if number ~= other and string.sub(kind, 5) == string.sub(candidate, 5)
                and time(kind) <= time(candidate)
                and (not oldest or time(kind) < time(kinds[oldest])
                    or number == oldest and time(candidate) < time(kinds[next])) then
                oldest, next = number, other
            end
        end
    end
    oldest = oldest or 1
    return string.gsub(slots, string.char(oldest), string.char(next or 0)), oldest
end

local function put_outcomes(page, statuses, first, codes, new, expires_at)
    local added = kinds_of(new, 1, LIMIT.outcome_kinds)
    local kinds, slots = {}, ''
    local is_dense = not string.find(codes, '%z')
    if first > 0 or not is_dense or #codes < length_of(statuses) then
        local is = read_page(page) or '\0'
        local position
        kinds, position = kinds_of(is, 2, string.byte(is, 1) or 0)
        slots = string.sub(is, position)
    end
    local numbers, is_same = {}, true
    local free = 0
    for place, kind in ipairs(added) do
        local number
        for other, present in ipairs(kinds) do
            if present == kind then number = other end
        end
        if not number then
            repeat
                free = free + 1
            until free > #kinds or not string.find(slots, string.char(free), 1, true)
            number = free
            if number > LIMIT.outcome_kinds then slots, number = merge_oldest(kinds, slots) end
        end
        kinds[number] = kind
        numbers[string.char(place)] = string.char(number)
        is_same = is_same and number == place
    end
    if not is_same then
        if #added == 1 then
            codes = string.gsub(codes, '\1+', function(run) return string.rep(numbers['\1'], #run) end)
        else
            codes = string.gsub(codes, '[^%z]', numbers)
        end
    end
    slots = slots .. string.rep('\0', first + #codes - #slots)
    local parts = { string.sub(slots, 1, first) }
    local position = 1
    while not is_dense do
        local from, to = string.find(codes, '[^%z]+', position)
        if not from then break end
        parts[#parts + 1] = string.sub(slots, first + position, first + from - 1)
        parts[#parts + 1] = string.sub(codes, from, to)
        position = to + 1
    end
    if is_dense then
        parts[2] = codes
        position = #codes + 1
    end
    parts[#parts + 1] = string.sub(slots, first + position)
    put_page(page, string.char(#kinds) .. table.concat(kinds) .. table.concat(parts), expires_at)
end
