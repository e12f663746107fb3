-- shown (part)
--
-- Compares an update with the content that was sent last to the whole segment. The activity's hash holds the digest of
-- that content, and the order number of its broadcast. A digest (`ContentDigest`) has 16 bytes for the display, and 16
-- more if there is an alert.

-- True if the whole segment has been sent the same display, and the digest has no other alert.
local function is_unchanged(digest, shown)
    if digest == '' or not shown or string.sub(shown, 1, 16) ~= string.sub(digest, 1, 16) then return false end
    local alert = string.sub(digest, 17)
    return alert == '' or alert == string.sub(shown, 17)
end

-- Records the display of a start or update. That of all devices is added to the activity's `changes`. If a list gets
-- another display, no content is that of all devices.
local function note_shown(changes, activity, digest, shown, is_for_all, order)
    if is_for_all and digest ~= '' then
        for _, each in ipairs({ 'shown', digest, 'shown_order', order }) do changes[#changes + 1] = each end
    elseif shown and string.sub(shown, 1, 16) ~= string.sub(digest, 1, 16) then
        redis.call('HDEL', activity, 'shown', 'shown_order')
    end
end
