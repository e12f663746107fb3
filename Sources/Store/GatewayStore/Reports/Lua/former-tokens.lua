-- dismissals (part)
--
-- The cell of a Live Activity that its user has dismissed has a digest of its token behind the reason: so a late or
-- repeated report of that token is told from one of another Live Activity, which came of a start that had been on its
-- way.
-- Includes: cells

local function digest_of(token)
    return string.sub(redis.sha1hex(token), 1, 8)
end

local function is_dismissed(page, index, token)
    local width = width_of(page) or 0
    local start = 3 + index * width
    return width >= 10 and read_range(page, start, start + 7) == digest_of(token)
end
