-- reserve-topic-slots (writes)
--
-- Sets slots aside for devices that join the running activity of a topic. They are noted with the topic until a
-- start for them is recorded, so the gateway that drives the topic next knows which devices no start is for yet, and
-- which slots they leave.
--
-- KEYS
--   activity
--   topic
-- ARGV
--   driver: token of the caller
--   most: how many slots a band may have
--   leaving: slots that the devices leave, as `SlotList` spells them
--   bands...(3): field with the band's size, how many slots of it are wanted, the band's first slot
-- Reply: the size that each band had, nil when the caller does not drive the topic, the activity does not run or a band
--   is full

if redis.call('HGET', topic, 'driver') ~= driver then return false end
if redis.call('HGET', activity, 'state') ~= ACTIVITY.started then return false end
local sizes, placing = {}, {}
for position = bands_at, #ARGV, 3 do
    local size = tonumber(redis.call('HGET', activity, ARGV[position])) or 0
    if size + ARGV[position + 1] > tonumber(most) then return false end
    sizes[#sizes + 1] = size
    placing[#placing + 1] = struct.pack('<I4I4', ARGV[position + 2] + size, ARGV[position + 1])
end
for position = bands_at, #ARGV, 3 do redis.call('HINCRBY', activity, ARGV[position], ARGV[position + 1]) end
redis.call('HSET', topic, 'placing', table.concat(placing), 'leaving', leaving)
return sizes
