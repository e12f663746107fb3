-- remove-job (writes)
--
-- Removes a job that has nothing left to do.
--
-- KEYS
--   stream
-- ARGV
--   consumer
--   entry
-- Reply: flag (false if the job is no longer the gateway's)
-- Includes: job-entries

if not is_taken_by(stream, entry, consumer) then return 0 end
remove(stream, entry)
return 1
