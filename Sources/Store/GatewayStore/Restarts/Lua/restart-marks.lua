-- restart-marks (part)
--
-- The restarts of a while with their devices, for calls that wait for their turn: see `RestartMark`.

local function remember_restart(activity, order, scope)
    local restarts = activity .. ':restarts'
    redis.call('LPUSH', restarts, struct.pack('<I4', order) .. (scope or ''))
    redis.call('LTRIM', restarts, 0, LIMIT.kept_restarts - 1)
    redis.call('PEXPIRE', restarts, LIMIT.restarts_kept_for)
end
