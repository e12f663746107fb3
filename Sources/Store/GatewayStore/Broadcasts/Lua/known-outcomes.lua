-- known-outcomes (part)
--
-- Checks if the outcome of the last push to a slot is known.
-- Includes: outcome-kinds, pages

-- Returns a function that is true for a slot of the page with an outcome.
local function outcomes_of(page)
    local slots
    return function(index)
        if not slots then
            local is = read_page(page) or '\0'
            local _, position = kinds_of(is, 2, string.byte(is, 1) or 0)
            slots = string.sub(is, position)
        end
        return (string.byte(slots, index + 1) or 0) ~= 0
    end
end
