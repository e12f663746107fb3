-- outcome-kinds (part)
--
-- Reads pages of outcomes: see `OutcomePage` for their form.

-- The kinds of outcome that bytes hold from a position on, and the position behind them.
local function kinds_of(bytes, position, count)
    local kinds = {}
    while #kinds < count and position + 4 <= #bytes do
        local past = position + 5 + string.byte(bytes, position + 4)
        kinds[#kinds + 1] = string.sub(bytes, position, past - 1)
        position = past
    end
    return kinds, position
end
