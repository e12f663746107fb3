-- known-outcomes (part)
--
-- Whether it is known what the last push to a slot came to.
-- Includes: outcome-kinds, pages

-- Gives a function that tells whether a slot of the page has an outcome.
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
