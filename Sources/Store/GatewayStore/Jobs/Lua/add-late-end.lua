-- add-late-end (writes)
--
-- Adds the job of a late end, or of an update that is sent to a device which has missed it.
--
-- KEYS
--   stream
-- ARGV
--   broadcast
--   activity
--   part
-- Reply: flag
-- Includes: add-job

add_job(stream, broadcast, activity, part)
return 1
