-- shown (part)
--
-- Whether an update shows anything new. The activity's hash holds the digest of what was sent last to its whole segment
-- (`ContentDigest`: 16 bytes for what the Live Activity shows, and as many for the alert if there is one; earlier
-- versions have written zeros for none), and the order number of that broadcast.

-- Whether a digest stands for nothing but what the whole segment has been sent: the same display, and no other alert.
local function is_unchanged(digest, shown)
    if digest == '' or not shown or string.sub(shown, 1, 16) ~= string.sub(digest, 1, 16) then return false end
    local alert = string.sub(digest, 17)
    return alert == '' or alert == string.sub(shown, 17)
end

-- Notes what a start or update shows. One to a list leaves the segment as it is only if it shows the same; otherwise no
-- content is that of all devices.
local function note_shown(activity, digest, shown, is_for_all, order)
    if is_for_all and digest ~= '' then
        redis.call('HSET', activity, 'shown', digest, 'shown_order', order)
    elseif shown and string.sub(shown, 1, 16) ~= string.sub(digest, 1, 16) then
        redis.call('HDEL', activity, 'shown', 'shown_order')
    end
end
