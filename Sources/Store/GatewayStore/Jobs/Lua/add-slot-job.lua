-- add-slot-job (writes)
--
-- Adds the job that sends an end or update to one device which has missed it.
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
