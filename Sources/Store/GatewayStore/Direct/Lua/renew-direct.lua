-- renew-direct (writes)
--
-- Extends the holds of a gateway on updates that it sends at once. Without a time, it gives the updates back, so that
-- they get jobs.
--
-- KEYS
--   direct: broadcasts of the shard, by activity
--   small_jobs: stream of the lane
--   unfinished: broadcasts
--   owners: of these
--   counts: of these, by owner
-- ARGV
--   prefix: key prefix of the shard's activities
--   held_until: epoch ms, '' to give them back
--   holds...(2): activity and hold
-- Reply: [text] (the holds that are lost)
-- Includes: direct-broadcasts

local lost = {}
for index = holds_at, #ARGV, 2 do
    local activity_id, hold = ARGV[index], ARGV[index + 1]
    local value = redis.call('HGET', direct, activity_id)
    local _, holder, id, mark, packed = parts_of(value or '')
    if holder ~= hold then
        lost[#lost + 1] = hold
    elseif held_until ~= '' then
        redis.call('HSET', direct, activity_id, value_of(held_until, hold, id, mark, packed))
    else
        give_back(direct, prefix .. activity_id, activity_id, value, small_jobs, unfinished, owners, counts)
    end
end
return lost
