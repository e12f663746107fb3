-- find-cardless (reads)
--
-- Finds the slots of a page whose device has no Live Activity though a start was for it: the start was refused or never
-- sent, the update token is dead, or it was ended for an unfollow, which may have been taken back while that was under
-- way.
--
-- KEYS
--   status_page
--   update_page
-- ARGV
-- Reply: their indexes

local statuses, tokens = redis.call('GET', status_page) or '', redis.call('GET', update_page) or ''
local width, found = string.byte(tokens, 1) or 0, {}
for index = 0, #statuses - 1 do
    local status = string.byte(statuses, index + 1)
    local at = 2 + index * width
    local is_dead = width > 0 and string.byte(tokens, at) == 0 and string.byte(tokens, at + 1) == MARK.dead_token
    if status == STATUS.start_failed or status == STATUS.start_unsent or status == STATUS.unfollowed
        or is_dead and (status == STATUS.start_accepted or status == STATUS.start_unknown)
    then
        found[#found + 1] = index
    end
end
return found
