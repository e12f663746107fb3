-- segment-cleanups (part)
--
-- Records the cleanup of a change of a stored segment: `x`, the time, and the parts to expire.

local function retire(retired, partition, part)
    retired[#retired + 1] = struct.pack('<I4', tonumber(partition)) .. part
end

local function note(cleanups, writer, now, retired)
    if #retired == 0 then return redis.call('HDEL', cleanups, writer) end
    redis.call('HSET', cleanups, writer, 'x' .. struct.pack('<i8', tonumber(now)) .. table.concat(retired))
end
