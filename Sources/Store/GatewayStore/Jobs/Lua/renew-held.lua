-- renew-held (writes)
--
-- Extends the holds of a gateway on jobs that it got when their broadcasts were recorded. Without a time, it gives the
-- jobs back.
--
-- KEYS
--   held: jobs of the shard
--   small_jobs: stream of the lane
--   unfinished: broadcasts
--   owners: of these
--   counts: of these, by owner
-- ARGV
--   prefix: key prefix of the shard's activities
--   held_until: epoch ms, '' to give them back
--   holds...(2): member and hold
-- Reply: [text] (the holds that are lost)
-- Includes: held-jobs

local lost = {}
for index = holds_at, #ARGV, 2 do
    local member, hold = ARGV[index], ARGV[index + 1]
    local value = redis.call('HGET', held, member)
    local _, holder, kept_until, part, tenant = parts_of_held(value or '')
    if holder ~= hold then
        lost[#lost + 1] = hold
    elseif held_until ~= '' then
        put_held(held, member, held_until .. ' ' .. hold, kept_until, part, tenant)
    else
        give_back(held, member, value, prefix, small_jobs, unfinished, owners, counts)
    end
end
return lost
