-- former-tokens (part)
--
-- Digests of update tokens that a slot had. They show whether a late or repeated report is of the present Live Activity
-- or of another one. The digest of the last token is in its cell, after the reason why the cell has none. Those of
-- earlier tokens are a field of the partition's counters, the newest last. A divider follows those of a Live
-- Activity that has ended, or was started again. An Android device has the same token for all its Live Activities, so
-- only the end of a Live Activity keeps a digest of it.
-- Includes: cells

local kinds_with_one_token = KINDS.with_one_token

local function keeps_former(slot)
    return not kinds_with_one_token[math.floor(tonumber(slot) / SIZE.slots_per_band)]
end

local function digest_of(token)
    return string.sub(redis.sha1hex(token), 1, 8)
end

-- Has the length of a digest, and is none.
local function divider()
    return '--------'
end

-- The digest in a cell without a token, by what `read_cell` gives of the cell; '' for none.
local function last_digest(rest)
    return rest and #rest == 8 and string.byte(rest) ~= 0 and rest or ''
end

-- A cell without a token, for a slot whose cell held `old`, with the digest of the slot's last token.
local function cell_without_token(cell, slot, old, rest, is_kept)
    if not old or old == '' then return cell .. last_digest(rest) end
    if is_kept or keeps_former(slot) then return cell .. digest_of(string.sub(old, 5)) end
    return cell
end

-- The relation of a token to a slot. The field of earlier tokens has been read. A start that failed has brought no
-- other Live Activity, so the one before it is the present one.
--
-- - 2: the last token, which the slot has lost
-- - 1: an earlier one of the present Live Activity
-- - -1: one of an earlier Live Activity
-- - 0: any other
local function former_rank(earlier, last, token, status)
    if not earlier and last == '' then return 0 end
    local has_failed = status == STATUS.start_failed or status == STATUS.start_unsent
    if has_failed and last == '' and string.sub(earlier, -8) == divider() then
        last, earlier = string.sub(earlier, -16, -9), string.sub(earlier, 1, -17)
    end
    local digest, rank = digest_of(token), 0
    if last == digest then return 2 end
    for at = 1, #(earlier or ''), 8 do
        local entry = string.sub(earlier, at, at + 7)
        if entry == digest then
            rank = 1
        elseif entry == divider() and rank == 1 then
            rank = -1
        end
    end
    return rank
end
