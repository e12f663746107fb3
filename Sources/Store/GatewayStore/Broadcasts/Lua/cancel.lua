-- cancel (writes)
--
-- Ends an activity that was never started.
--
-- KEYS
--   activity
--   due: queue
-- ARGV
--   now: epoch ms
--   activity_id
--   item: the activity's in the queue
--   reason
--   schedule: that is carried out, '' for none
--   version: the schedule's
-- Reply: one of
--   cancelled = 1
--   not_registered = 0: the activity is in another state
--   not_due = 3: the schedule is no longer due
-- Includes: schedules, write-rights

if schedule ~= '' and not is_waiting(activity, due, activity_id, schedule, version) then return 3 end
if redis.call('HGET', activity, 'state') ~= ACTIVITY.registered then return 0 end
require_writes(activity, 'HSET')
redis.call('ZREM', due, item)
if schedule ~= '' then end_schedule(activity, due, activity_id, schedule, now, SCHEDULE.done) end
redis.call('HSET', activity, 'state', ACTIVITY.dead, 'ended_at', now, 'end_reason', reason)
return 1
