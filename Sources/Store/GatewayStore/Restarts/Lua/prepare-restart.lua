-- prepare-restart (writes)
--
-- Prepares slots of a page for another start, except those that have changed since they were read. The start pages of
-- the activity's start are gone by then, so new ones are written for these slots alone. The counters record their
-- broadcast, so that the late cleanup of an older one spares them.
--
-- KEYS
--   start_page
--   status_page
--   update_page
--   counters
--   pending_ends
--   start_counts: numbers of starts
-- ARGV
--   expires_at: expiry of the written keys, epoch ms
--   broadcast
--   first_slot: first slot of the page
--   past_ends: '1' if slots with a pending end may be started
--   left_cell: update cell to write
--   slots...(4): index in ascending order, delivery status and mark in its update cell as they were read, start cell,
--     starts to be recorded (see `StartNote`) or '' for none
-- Reply: bytes (a letter for each slot)
--   1: ready, a: its Live Activity is there, e: its Live Activity is to be ended, 0: the slot has changed
-- Includes: cell-writing, keep-digest, followers, write-rights

require_writes(counters, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')
local byte, sub = string.byte, string.sub
local start_page, status_page, update_page = unpack(open_pages({ start_page, status_page, update_page }))
local statuses, tokens = read_page(status_page) or '', read_page(update_page) or ''
local width = byte(tokens, 1) or 0
local has_pending = redis.call('EXISTS', pending_ends) == 1
local reply, ready, widest, count = {}, {}, 2, 0
for position = slots_at, #ARGV, 4 do
    local index, was, cell, starts = unpack(ARGV, position, position + 3)
    index = tonumber(index)
    local slot = string.format('%.0f', first_slot + index)
    local length, mark = 0, 0
    if width > 1 then
        length = byte(tokens, 2 + index * width) or 0
        mark = byte(tokens, 3 + index * width) or 0
    end
    local letter = '1'
    if sub(statuses, index + 1, index + 1) ~= sub(was, 1, 1) then
        letter = '0'
    elseif length > 0 then
        letter = 'a'
    elseif mark ~= byte(was, 2) then
        letter = '0'
    elseif has_pending and past_ends ~= '1' and redis.call('HEXISTS', pending_ends, slot) == 1 then
        letter = 'e'
    else
        ready[index + 1] = cell
        widest, count = math.max(widest, #cell), count + 1
        if mark ~= byte(left_cell, 2) then
            if width >= 10 then
                local digest = last_digest(sub(tokens, 4 + index * width, 11 + index * width))
                keep_digest(counters, slot, digest, expires_at, true)
            end
            write_cell(update_page, index, left_cell, status_page, expires_at)
        end
        if has_pending then redis.call('HDEL', pending_ends, slot) end
        if starts ~= '' then redis.call('HSET', start_counts, slot, starts) end
    end
    reply[#reply + 1] = letter
end
if count > 0 then
    local page = read_page(start_page)
    local is = page and byte(page, 1) or widest
    if page and is < widest then
        page = string.char(widest) .. widened(sub(page, 2), is, widest)
        is = widest
    end
    local parts, becomes = { string.char(is) }, {}
    for place = 1, #statuses do
        local cell = ready[place] or page and sub(page, 2 + (place - 1) * is, 1 + place * is) or ''
        parts[#parts + 1] = cell .. string.rep('\0', is - #cell)
        becomes[place] = ready[place] and STATUS_BYTE.registered or sub(statuses, place, place)
    end
    put_page(start_page, table.concat(parts), expires_at)
    becomes = table.concat(becomes)
    write_range(status_page, 0, becomes)
    count_followers(counters, statuses, becomes)
    redis.call('HSET', counters, 'restart', broadcast)
    redis.call('PEXPIREAT', counters, expires_at)
    redis.call('PEXPIREAT', start_counts, expires_at)
end
return table.concat(reply)
