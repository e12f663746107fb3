-- renew-direct (writes)
--
-- Says that a gateway is still at work on updates that it sends at once, or, without a time, that others shall take
-- them: then they get their jobs.
--
-- KEYS
--   direct: broadcasts of the shard, by activity
--   small_jobs: stream of the lane
--   unfinished: broadcasts
--   owners: of these
--   counts: of these, by owner
-- ARGV
--   prefix: what the keys of the shard's activities begin with
--   held_until: epoch ms, '' to give them back
--   holds...(2): activity and hold
-- Reply: the holds whose updates are no longer theirs
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
