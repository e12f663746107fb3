-- put-update-cell (writes)
--
-- Records the update token that a device reports, or that its Live Activity is there without one, which keeps a former
-- token. Either proves a start in doubt. The partition's counters count it for the broadcast that left the device in
-- doubt (`proven:`), unless the Live Activity has been prepared for another start.
--
-- Outcomes:
--
-- - -1: not a member
-- - 0: the same token as before
-- - 1: written
-- - 2: nothing is written, because the Live Activity has ended
-- - 3: written, and to be ended, because the device has dismissed a Live Activity before and this is another one
-- - 4: nothing is written, because the report may be of another activity, login or Live Activity
-- - 5: the Live Activity has ended already, but this token is new, or had lost its end with the consent
-- - 6: nothing is written, because the token is that of an earlier Live Activity
--
-- KEYS
--   update_page
--   status_page
--   counters
--   pending_ends
--   start_page
--   doubts
--   start_counts: numbers of starts
--   reading?: note of the page's reading, with catch_up
-- ARGV
--   index
--   cell
--   expires_at: of the page, epoch ms
--   slot
--   now: epoch ms, '' for a Live Activity that no start has made
--   elsewhere: '1' when a token that is new to the slot may be that of another activity, '2' or '3' when a token that
--     the slot does not have now may be that of another login or of an earlier Live Activity, '4' to write it only
--     into a slot without a token, '5' like '1' for a slot whose Live Activity has reported before. With '2' and '5' a
--     report without a token may then belong elsewhere too.
-- Reply: {outcome: int, pending_end: text, reached: flag?, since_start: int?}
--   pending_end: its broadcast, or `=` and the delivery status of an end that is owed once more. The broadcast of an
--     owed end is recorded a step later. If a kill prevents that, the next report has it recorded. '' for none.
--   reached: true if a start has reached the device; only if the cell is written
--   since_start: ms since the start that has made the Live Activity, for its written token
-- Call: keys once
-- Includes: cell-writing, keep-digest, time-to-sync, followers, write-rights

local index = tonumber(index)
local pages, is = open_pages({ update_page, status_page, start_page }, { 'starts', 'restart', 'former:' .. slot })
local update_page, status_page, start_page = unpack(pages)
local starts, restart, earlier = unpack(is)
local status = string.byte(read_range(status_page, index, index)) or 0
if status == STATUS.absent or status == STATUS.removed then return { -1, '' } end
local old, reason, width, rest = read_cell(update_page, index)
local digest, token = last_digest(rest), string.sub(cell, 6)
local is_over, is_new = status >= STATUS.ended, false
-- No end went to a token that was dropped for want of consent.
local was_refused = token ~= '' and (reason == MARK.push_opt_out or reason == MARK.gdpr_denied)
-- Until the first report of a Live Activity its cell is empty.
local has_reported = old and not (old == '' and (reason == MARK.none or reason == MARK.healing))
if token ~= '' and string.sub(old or '', 5) ~= token then
    local rank = former_rank(earlier, digest, token, status)
    local may_be_ended = rank == 1 and elsewhere == '3' or rank == 2 and was_refused
    if is_over and (rank > 0 and not may_be_ended or elsewhere == '4') then return { 2, '' } end
    if rank < 0 or elsewhere == '4' and (old or '') ~= '' then return { 6, '' } end
    local is_rival = elsewhere == '5' and rank == 0 and has_reported
    local may_be_elsewhere = elsewhere == '2' or elsewhere == '3' or elsewhere == '1' and rank == 0 or is_rival
    if may_be_elsewhere and keeps_former(slot) then return { 4, '' } end
    is_new = rank == 0 and keeps_former(slot)
elseif token == '' and (elsewhere == '2' or elsewhere == '5') and has_reported and keeps_former(slot) then
    return { 4, '' }
end
if is_over or status == STATUS.start_unknown then
    require_writes(counters, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')
end
if is_over then
    if status ~= STATUS.dismissed or token == '' then return { (is_new or was_refused) and 5 or 2, '' } end
    redis.call('HSET', pending_ends, slot, '=' .. status)
    redis.call('PEXPIREAT', pending_ends, expires_at)
    write_range(status_page, index, STATUS_BYTE.start_accepted)
    count_followers(counters, '', STATUS_BYTE.start_accepted, expires_at)
end
if status == STATUS.start_unknown then
    write_range(status_page, index, STATUS_BYTE.start_accepted)
    count_followers(counters, '', STATUS_BYTE.start_accepted, expires_at)
    local broadcast = string.match(redis.call('HGET', doubts, slot) or '', '^%S+')
    if broadcast then
        redis.call('HDEL', doubts, slot)
        redis.call('HINCRBY', counters, 'proven:' .. broadcast, 1)
        redis.call('PEXPIREAT', counters, expires_at)
    end
elseif status == STATUS.registered and restart and (read_cell(start_page, index) or '') ~= '' then
    write_cell(start_page, index, '\0' .. SKIP_BYTE.active, status_page, expires_at)
end
local pending = redis.call('HGET', pending_ends, slot) or ''
local reached = now ~= '' and (status == STATUS.start_accepted or status == STATUS.start_unknown) and 1 or 0
if string.byte(cell) == 0 then
    if old and (old ~= '' or reason == string.byte(cell, 2)) then return { 0, pending } end
    if not width then require_writes(counters, 'PEXPIREAT') end
    write_cell(update_page, index, cell .. digest, status_page, expires_at, width)
    return { 1, pending, reached }
end
if old and old ~= '' then
    if string.sub(old, 5) == token then return { 0, pending } end
    digest = keeps_former(slot) and digest_of(string.sub(old, 5)) or ''
end
-- A repetition finds the token in its cell, and does nothing more.
local is_read = reading and redis.call('EXISTS', reading) == 1
if is_read then require_writes(counters, 'SETBIT') end
if not old or old == '' then require_writes(counters, 'HINCRBY', 'PEXPIREAT') end
keep_digest(counters, slot, digest, expires_at, is_over)
write_cell(update_page, index, cell, status_page, expires_at, width)
if is_read then redis.call('SETBIT', reading, 32 + index, 0) end
local waited = now ~= '' and since_start(starts, restart, start_counts, tonumber(slot), tonumber(now)) or nil
if not old or old == '' then
    redis.call('HINCRBY', counters, 'synced', 1)
    redis.call('PEXPIREAT', counters, expires_at)
    local is_first = not old or reason == MARK.none or reason == MARK.live_activity_shown or reason == MARK.healing
    if is_first and waited then count_sync(counters, waited, expires_at) end
end
return { is_over and 3 or 1, pending, reached, waited }
