-- delivery-statuses (part)
--
-- Writes the delivery statuses of a run of slots. A status never overwrites a newer one: the outcome of a start applies
-- only to registered slots, an end only to live ones. Returns the former statuses and the present ones.
-- Includes: page-writing

local function put_statuses(page, first, new)
    local old = read_range(page, first, first + #new - 1)
    -- The common cases: a start to devices without an outcome, and an end to Live Activities that have not ended.
    local plain
    if #old == #new and not string.find(old, STATUSES.not_registered) then
        plain = string.gsub(new, '%z', STATUS_BYTE.registered)
    elseif #old == #new and not string.find(old, STATUSES.not_live) and not string.find(new, STATUSES.not_ended) then
        plain = new
    end
    if plain then
        write_range(page, first, plain)
        return old, plain
    end
    local merged = {}
    for index = 1, #old do
        local is, becomes = string.byte(old, index), string.byte(new, index)
        local is_live = is ~= STATUS.absent and is ~= STATUS.removed and is < STATUS.ended
        -- `absent` means that nothing changes for the slot.
        local changes = becomes ~= STATUS.absent and is_live and (is == STATUS.registered or becomes >= STATUS.ended)
        merged[index] = string.char(changes and becomes or is)
    end
    merged = table.concat(merged)
    write_range(page, first, merged)
    return old, merged
end
