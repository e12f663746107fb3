-- show-direct (writes)
--
-- Gives an activity's update that is being sent at once its record and its place among the open broadcasts.
--
-- KEYS
--   direct: broadcasts of the shard, by activity
--   activity
--   unfinished: broadcasts
--   owners: of these
--   counts: of these, by owner
-- ARGV
--   activity_id
-- Reply: flag (false if there is none)
-- Includes: direct-broadcasts

return show_of(direct, activity, activity_id, unfinished, owners, counts)
