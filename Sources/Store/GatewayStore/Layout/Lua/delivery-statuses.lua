-- delivery-statuses (part)
--
-- Writes what became of a run of slots. What is newer stands: the delivery status of a start goes only to slots that
-- have none yet, an end to all that have not ended. Gives the former ones and those that are there now.
-- Includes: page-writing

local function put_statuses(page, first, new)
    local old = read_range(page, first, first + #new - 1)
    -- As it nearly always is: a start to devices that have no delivery status yet, an end to Live Activities that are
    -- all there.
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
        -- `absent` stands for slots of which nothing came.
        local changes = becomes ~= STATUS.absent and is_live and (is == STATUS.registered or becomes >= STATUS.ended)
        merged[index] = string.char(changes and becomes or is)
    end
    merged = table.concat(merged)
    write_range(page, first, merged)
    return old, merged
end
