-- known-outcomes (part)
--
-- Whether it is known what the last push to a slot came to.
-- Includes: outcome-kinds

-- Gives a function that tells whether a slot of the page has an outcome.
local function outcomes_of(key)
    local slots
    return function(index)
        if not slots then
            local page = redis.call('GET', key) or '\0'
            local _, position = kinds_of(page, 2, string.byte(page, 1) or 0)
            slots = string.sub(page, position)
        end
        return (string.byte(slots, index + 1) or 0) ~= 0
    end
end
