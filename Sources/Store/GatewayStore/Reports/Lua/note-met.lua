-- note-met (writes)
--
-- Records that an update is sent to a single slot.
--
-- KEYS
--   reading: record of the page's last reading
-- ARGV
--   order: order number of the update
--   index
--   expires_at: of the record, epoch ms
-- Reply: flag (always true)

local noted = redis.call('GETRANGE', reading, 0, 3)
local noted_order = #noted == 4 and struct.unpack('<I4', noted) or 0
if noted_order > tonumber(order) then return 1 end
if noted_order < tonumber(order) then
    redis.call('SET', reading, struct.pack('<I4', order), 'PXAT', expires_at)
end
redis.call('SETBIT', reading, 32 + index, 1)
return 1
