-- clear-update-cell (writes)
--
-- Takes a device's update token away: its Live Activity has ended, or the token is dead. The push of an end that
-- finds a token dead has ended nothing, so the end waits for the device's next token. So does an end that passes over a
-- device which has lost its token, or has withdrawn its consent, since the end was recorded.
--
-- KEYS
--   update_page
--   status_page
--   counters
--   pending_ends
--   start_counts?: numbers of starts, with order
-- ARGV
--   index
--   cell: says why, '' to record the end as pending alone
--   new_status: a byte, '' for unchanged
--   latest: ms after the activity was made, for reports up to which the token is taken away, '' for any. Without token
--     and with ended_by: the report time of the token to which the end was sent
--   expires_at: of the page, epoch ms
--   slot
--   token: that is meant, '' for any
--   dismissal: '1' when the device reports a dismissal
--   ended_by: broadcast that is to end the Live Activity by its next token, '' for none
--   order: of the end of single devices, '' for any other reason. A Live Activity started since is another one.
-- Reply: one of
--   unchanged = 0
--   cleared = 1: the cell was written
--   another_token = 2: another token is there already, which the end has yet to reach
-- Includes: cell-writing, former-tokens, followers, looks, start-notes, write-rights

-- True for a mark in place of a token that an end of the present Live Activity would have gone to.
local function is_token_lost(mark)
    return mark == MARK.dead_token or mark == MARK.quarantined_token or mark == MARK.healing
        or mark == MARK.live_activity_shown and order ~= '' or mark == MARK.push_opt_out or mark == MARK.gdpr_denied
end

local index = tonumber(index)
local update_page, status_page = unpack(open_pages({ update_page, status_page }))
if order ~= '' and is_started_since(start_counts, slot, order) then return 0 end
local old, reason, width, rest = read_cell(update_page, index)
if latest ~= '' then
    local has_token = old and old ~= ''
    local reported, latest = has_token and struct.unpack('<I4', old) or 0, tonumber(latest)
    local is_newer = has_token and reported > latest
    -- The clocks of gateways differ, so a later report may have an earlier time.
    local is_unread = token == '' and (cell == '' or is_newer or ended_by ~= '' and reported ~= latest)
    local is_other = has_token and (is_unread or token ~= '' and string.sub(old, 5) ~= token)
    if ended_by ~= '' and (has_token or is_token_lost(reason))
        and (string.byte(read_range(status_page, index, index)) or STATUS.ended) < STATUS.ended then
        -- The caller sends the end to the other token, and repeats this if it cannot. If the end is pending already,
        -- the report of that token has had it sent.
        if is_other then return redis.call('HGET', pending_ends, slot) == ended_by and 0 or 2 end
        redis.call('HSET', pending_ends, slot, ended_by)
        redis.call('PEXPIREAT', pending_ends, expires_at)
    end
    -- A dead token that was reported again would be found dead again, so the end waits for its next report.
    if cell == '' or not has_token or is_newer or is_other then return 0 end
end
local content = cell
if new_status ~= STATUS_BYTE.removed then
    content = cell_without_token(cell, slot, old, rest, new_status ~= '')
end
require_writes(counters, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')
write_cell(update_page, index, content, status_page, expires_at, width)
if old and old ~= '' then redis.call('HINCRBY', counters, 'synced', -1) end
if string.byte(cell, 1) == 0 and string.byte(cell, 2) == MARK.dead_token or new_status == STATUS_BYTE.unfollowed then
    note_look(counters, math.floor(tonumber(slot) / SIZE.slots_per_page), expires_at)
end
if new_status ~= '' then
    -- A Live Activity that is taken away after its end ended for the first reason. A slot that is left has no device.
    -- A page that Redis has evicted is not created again, because it would never expire.
    local status = read_range(status_page, index, index)
    if status ~= '' and (string.byte(status) < STATUS.ended or new_status == STATUS_BYTE.removed) then
        write_range(status_page, index, new_status)
        count_followers(counters, status, new_status)
        if dismissal == '1' then redis.call('HINCRBY', counters, 'dismissals', 1) end
    end
    -- A device that leaves its slot takes along the end that is still to be sent to it.
    if string.byte(new_status) >= STATUS.ended then redis.call('HDEL', pending_ends, slot) end
    if new_status == STATUS_BYTE.removed then redis.call('HDEL', counters, 'former:' .. slot) end
end
return 1
