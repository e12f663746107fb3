-- older-secrets (part)
--
-- The valid secrets of a webhook before its last two, oldest first. Each is stored as `UNTIL:LENGTH:` and the sealed
-- secret. See `Webhook.olderSecrets`.

local function older_secrets(text)
    local list, position = {}, 1
    while text and position <= #text do
        local _, head_end, ends, length = string.find(text, '^(%d+):(%d+):', position)
        if not head_end then break end
        list[#list + 1] = { ['until'] = ends, secret = string.sub(text, head_end + 1, head_end + tonumber(length)) }
        position = head_end + tonumber(length) + 1
    end
    return list
end

local function written_older_secrets(list)
    local parts = {}
    for _, each in ipairs(list) do
        parts[#parts + 1] = each['until'] .. ':' .. #each.secret .. ':' .. each.secret
    end
    return table.concat(parts)
end
