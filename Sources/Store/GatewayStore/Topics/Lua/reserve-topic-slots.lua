-- reserve-topic-slots (writes)
--
-- Reserves slots for devices that join the running activity of a topic. The topic keeps the slots, and those that the
-- devices leave, until a start for them is recorded. If the driver dies, the next one finds the devices without a
-- start.
--
-- KEYS
--   activity
--   topic
-- ARGV
--   driver: token of the caller
--   most: the limit of slots of a band
--   leaving: slots that the devices leave, as `SlotList` encodes them
--   bands...(3): field with the band's size, number of slots to reserve, the band's first slot
-- Reply: [int]?
--   the former size of each band; nil if the caller lost the lease, the activity does not run or a band is full

if redis.call('HGET', topic, 'driver') ~= driver then return false end
if redis.call('HGET', activity, 'state') ~= ACTIVITY.started then return false end
local sizes, placing, grown = {}, {}, {}
for position = bands_at, #ARGV, 3 do
    local size = tonumber(redis.call('HGET', activity, ARGV[position])) or 0
    if size + ARGV[position + 1] > tonumber(most) then return false end
    sizes[#sizes + 1] = size
    grown[#grown + 1], grown[#grown + 2] = ARGV[position], size + ARGV[position + 1]
    placing[#placing + 1] = struct.pack('<I4I4', ARGV[position + 2] + size, ARGV[position + 1])
end
if #grown > 0 then redis.call('HSET', activity, unpack(grown)) end
redis.call('HSET', topic, 'placing', table.concat(placing), 'leaving', leaving)
return sizes
