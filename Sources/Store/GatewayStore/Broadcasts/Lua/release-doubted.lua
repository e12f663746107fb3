-- release-doubted (writes)
--
-- Releases devices that a hold recorded but never sent anything to, and that the next owner has put in doubt. They are
-- sent the start, or count as failed if the partition is closed. Each leaves the doubt once, even if the call is
-- repeated.
--
-- KEYS
--   progress
--   status_page
--   doubts
-- ARGV
--   owner
--   page
--   slots: first slot and number, in two bytes each
--   broadcast
-- Reply: one of
--   released = -1
--   closed = -2 {growth: text...}: names of counts, each with its growth, to amend the record once it has ended
-- Includes: doubts, progress, page-writing, write-rights

require_writes(progress, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'SET', 'SETRANGE')
local is_closed = not owner_of(progress)
local doubt = broadcast .. ' ' .. owner
local released = 0
local status_page = unpack(open_pages({ status_page }))
for at = 1, #slots - 3, 4 do
    local from, number = struct.unpack('<I2I2', slots, at)
    for index = from, from + number - 1 do
        local slot = slot_of(page, index)
        if redis.call('HGET', doubts, slot) == doubt then
            redis.call('HDEL', doubts, slot)
            if read_range(status_page, index, index) == STATUS_BYTE.start_unknown then
                local status = is_closed and STATUS.start_unsent or STATUS.registered
                write_range(status_page, index, string.char(status))
                released = released + 1
                -- The page may have been read or finished already, so it is read once more before the end.
                if not is_closed then redis.call('HSET', progress, 'r' .. slot, 1) end
            end
        end
    end
end
if is_closed then
    return released == 0 and { -2 }
        or { -2, 'f:unknown', tostring(-released), 'f:NoConnection', tostring(released) }
end
if released > 0 then redis.call('HINCRBY', progress, 'f:unknown', -released) end
return { -1 }
