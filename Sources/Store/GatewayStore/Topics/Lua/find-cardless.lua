-- find-cardless (reads)
--
-- Finds the slots of a page whose device lacks its Live Activity, although the follower may want it. The start failed
-- or was not sent, the update token is dead, or an unfollow ended it, which may have been revoked since. If silence
-- counts, also finds devices that have reported nothing since their start.
--
-- KEYS
--   status_page
--   update_page
--   outcome_page
-- ARGV
--   latest: epoch s; a device started by then without a report is silent, '' if silence does not count
--   started_at: of the activity, epoch s
-- Reply: {indexes: [int], silent: [int]}
--   indexes: of all devices found
--   silent: indexes of silent devices
-- Includes: outcome-kinds, pages

local status_page, update_page, outcome_page = unpack(open_pages({ status_page, update_page, outcome_page }))
local statuses, tokens = read_page(status_page) or '', read_page(update_page) or ''
local width, found, silent = string.byte(tokens, 1) or 0, {}, {}
local latest, started_at = tonumber(latest), tonumber(started_at)
local times, codes
local function is_silent(index)
    if not times then
        local page = read_page(outcome_page) or '\0'
        local kinds, position = kinds_of(page, 2, string.byte(page, 1) or 0)
        times, codes = {}, string.sub(page, position)
        for number, kind in ipairs(kinds) do times[number] = struct.unpack('<I4', kind) end
    end
    return (times[string.byte(codes, index + 1) or 0] or started_at) <= latest
end
for index = 0, #statuses - 1 do
    local status = string.byte(statuses, index + 1)
    local at = 2 + index * width
    local mark = MARK.none
    if width > 0 and at < #tokens then mark = string.byte(tokens, at) == 0 and string.byte(tokens, at + 1) end
    if status == STATUS.start_failed or status == STATUS.start_unsent or status == STATUS.unfollowed
        or mark == MARK.dead_token and (status == STATUS.start_accepted or status == STATUS.start_unknown)
    then
        found[#found + 1] = index
    elseif latest and status == STATUS.start_accepted and mark == MARK.none and is_silent(index) then
        silent[#silent + 1] = index
    end
end
return { found, silent }
