-- find-next-timestamp (reads)
--
-- A timestamp for a push to one Live Activity, which is that Live Activity's last: now, or just after the activity's
-- newest.
--
-- KEYS
--   activity
-- ARGV
--   now: epoch s
-- Reply: the timestamp

return math.max(tonumber(now), (tonumber(redis.call('HGET', activity, 'timestamp')) or 0) + 1)
