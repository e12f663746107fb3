-- device-marks (part)
--
-- Sets marks in the time of a device's record: see `DeviceRecord`.

-- Returns the record with a mark; nil if it has the mark already, or no time.
local function marked(record, mark)
    local length = 1
    while (string.byte(record, length) or 0) >= 128 do length = length + 1 end
    local last = string.byte(record, length + 7)
    if not last or string.byte(record, length + 1) < 64 or math.floor(last / mark) % 2 == 1 then return nil end
    return string.sub(record, 1, length + 6) .. string.char(last + mark) .. string.sub(record, length + 8)
end
