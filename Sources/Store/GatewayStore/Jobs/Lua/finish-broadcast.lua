-- finish-broadcast (writes)
--
-- Writes the end of a broadcast, once.
--
-- KEYS
--   broadcast
--   open_broadcasts
--   unfinished: broadcasts
--   activity
--   owners: of the unfinished broadcasts
--   counts: of these, by owner
-- ARGV
--   order: number
--   keep: 'keep' when the content is needed further on
--   reached: the segment's slots, when an end has come to all of them; else ''
--   id
--   member: of the unfinished broadcasts
--   has_failed: '1' when it was stopped, could not be read, or reached no device
--   fields...(2): and values
-- Reply: flag (false if it was finished before)
-- Includes: ending, unfinished, write-rights

local state = redis.call('HGET', broadcast, 'state')
if state ~= BROADCAST.queued and state ~= BROADCAST.running then return 0 end
-- The expiry follows the end, because it needs the ended record.
if reached ~= '' then require_writes(broadcast, 'PEXPIRE') end
take_off(owners, counts, member)
redis.call('ZREM', unfinished, member)
end_broadcast(broadcast, open_broadcasts, activity, order, id, keep == 'keep' and 'all' or 'short', has_failed == '1',
    fields_at)
-- Only a device whose token has changed at that moment may still need the end's content.
if reached ~= '' and redis.call('HGET', activity, 'slots') == reached then
    fold_record(broadcast, LIMIT.content_of_end)
end
return 1
