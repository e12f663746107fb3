-- former-tokens (part)
--
-- Digests of update tokens that a slot had, which tell a late or repeated report of a token from the report of another
-- Live Activity. The digest of the last token stands in its cell, behind the reason why the cell has none. Those of
-- earlier tokens are a field of the partition's counters, the newest last. An Android device has the same token for all
-- its Live Activities, so only a dismissal keeps a digest of it.
-- Includes: cells

local kinds_with_one_token = KINDS.with_one_token

local function keeps_former(slot)
    return not kinds_with_one_token[math.floor(tonumber(slot) / SIZE.slots_per_band)]
end

local function digest_of(token)
    return string.sub(redis.sha1hex(token), 1, 8)
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

-- 2 for the last token, which the slot has lost, 1 for an earlier one, 0 for any other.
local function former_rank(counters, slot, last, token)
    local digest = digest_of(token)
    if last == digest then return 2 end
    local earlier = redis.call('HGET', counters, 'former:' .. slot) or ''
    for at = 1, #earlier, 8 do
        if string.sub(earlier, at, at + 7) == digest then return 1 end
    end
    return 0
end
