-- fates (part)
--
-- Writes what became of a run of slots. What is newer stands: the fate of a start goes only to slots that have none
-- yet, an end to all that have not ended.

local function put_fates(key, first, new)
    local old = redis.call('GETRANGE', key, first, first + #new - 1)
    -- As it nearly always is: a start to devices that have no fate yet, an end to cards that are all there.
    local plain
    if #old == #new and not string.find(old, FATES.not_registered) then
        plain = string.gsub(new, '%z', FATE_BYTE.registered)
    elseif #old == #new and not string.find(old, FATES.not_live) and not string.find(new, FATES.not_ended) then
        plain = new
    end
    if plain then
        redis.call('SETRANGE', key, first, plain)
        return
    end
    local merged = {}
    for index = 1, #old do
        local is, becomes = string.byte(old, index), string.byte(new, index)
        local is_live = is ~= FATE.absent and is ~= FATE.removed and is < FATE.ended
        -- `absent` stands for slots of which nothing came.
        local changes = becomes ~= FATE.absent and is_live and (is == FATE.registered or becomes >= FATE.ended)
        merged[index] = string.char(changes and becomes or is)
    end
    redis.call('SETRANGE', key, first, table.concat(merged))
end
