-- token-claims (part)
--
-- What claiming a token comes to whose entry is there.
--
-- An entry is the time of the newest report in six bytes, the length of its owner and the owner, and behind that, in
-- the same way, those who are still to be told that it is theirs no more: see `TokenIndex`. A mark in the time, 64 in
-- its last byte, says that it is not of its owner's report, see `release-token`.
--
-- Includes: report-times

-- The owners that it must be taken away from, or -1 when another one reported it later; and the entry that is to be
-- there from now on, nil when it stays.
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
        if not is_owner then return -1 end
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
