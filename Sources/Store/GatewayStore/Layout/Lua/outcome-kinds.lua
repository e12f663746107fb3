-- outcome-kinds (part)
--
-- Reads pages of outcomes. See `OutcomePage` for their form.

-- Returns the kinds of outcome from a position on, and the position after them.
local function kinds_of(bytes, position, count)
    local kinds = {}
    while #kinds < count and position + 4 <= #bytes do
        local past = position + 5 + string.byte(bytes, position + 4)
        kinds[#kinds + 1] = string.sub(bytes, position, past - 1)
        position = past
    end
    return kinds, position
end
