-- token-claims (part)
--
-- Computes the claim of a token that has an entry.
--
-- An entry is the time of the newest report in six bytes, the owner's length and the owner. The former owners to mark
-- follow in the same form: see `TokenIndex`. A mark in the time, 64 in its last byte, means that the report is not the
-- owner's: see `release-token`.
--
-- Includes: report-times

-- Returns the former owners to take the token away from; nil if another device reported it later. The second value is
-- the new entry, nil for no change.
local function claimed(is, owner, time)
    local is_older = is_newer(is, 1, time_of(time, 1))
    local formers, at, is_owner = {}, 7, false
    while at <= #is do
        local length = string.byte(is, at)
        local one = string.sub(is, at + 1, at + length)
        if at == 7 then is_owner = one == owner end
        if one ~= owner and not (at == 7 and is_owner) then formers[#formers + 1] = one end
        at = at + 1 + length
    end
    if is_older then
        if not is_owner then return nil end
        return formers
    end
    local entry = { time, string.char(#owner), owner }
    for _, former in ipairs(formers) do
        if #entry >= 2 * LIMIT.former_owners + 3 then break end
        entry[#entry + 1] = string.char(#former)
        entry[#entry + 1] = former
    end
    return formers, table.concat(entry)
end
