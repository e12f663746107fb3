-- put-topic (writes)
--
-- Writes the owner's content of a topic, unless the topic has newer or the same content. The topic's hash keeps the
-- content, and the topic's item in the due queue has a gateway drive the topic.
--
-- KEYS
--   topic
--   due: queue
--   running?: the topic's last activity, which has the topic's label
-- ARGV
--   item: the topic's in the due queue
--   now: epoch ms
--   tenant
--   name
--   type
--   state
--   digest: of all that is said
--   sequence: '' for none
--   start: payload for who has no Live Activity yet, '' when there is nothing to alert with
--   update: payload, '' for none
--   ending: payload of the end, '' for none
--   priority: '' for the one that suits
--   ends_at: epoch ms, '' for none
--   channel: how the activity uses channels, '' for not
--   id_attribute: key of the activity's id among the attributes, '' for the one that the topic's life has
--   label: for people, '' for none. No push depends on it
--   attributes: payload with the attributes of starts from now on, '' to leave those that are kept
--   seen: version and state as the caller has read them, '' for no topic
-- Reply: {1, version} when it was taken; {2} when it says nothing new, but for its label; {3, sequence} when a newer
--   one is there; {4, type} when it runs as another type; {5} when it is live and cannot be upcoming; {6} when it has
--   nothing to start with; {7} when it has changed since it was read

local is_type, is_state, is_digest, is_sequence, is_start, is_life, is_version = unpack(
    redis.call('HMGET', topic, 'type', 'state', 'digest', 'sequence', 'start', 'life', 'version'))
if sequence ~= '' and is_sequence and tonumber(sequence) < tonumber(is_sequence) then return { 3, is_sequence } end
if is_state == 'live' and is_type ~= type then return { 4, is_type } end
if is_state == 'live' and state == 'upcoming' then return { 5 } end
local is_new_life = is_state == 'ended' and state ~= 'ended'
if state == 'live' and start == '' and (not is_start or is_new_life) then return { 6 } end
local function put(field, value)
    if value ~= '' then redis.call('HSET', topic, field, value) else redis.call('HDEL', topic, field) end
end
local function put_label()
    put('label', label)
    if not running or redis.call('EXISTS', running) == 0 then return end
    if label ~= '' then redis.call('HSET', running, 'label', label) else redis.call('HDEL', running, 'label') end
end
if is_digest == digest then
    if sequence ~= '' then redis.call('HSET', topic, 'sequence', sequence) end
    put_label()
    return { 2, is_version }
end
-- The caller has checked sizes and composed attributes from the topic that it read.
if seen ~= (is_state and is_version .. ' ' .. is_state or '') then return { 7 } end
if is_new_life then
    redis.call('HDEL', topic, 'start', 'attributes', 'update', 'concluded', 'oversize', 'id_attribute')
end
if id_attribute ~= '' then redis.call('HSET', topic, 'id_attribute', id_attribute) end
if start ~= '' then redis.call('HSET', topic, 'start', start) end
if attributes ~= '' then redis.call('HSET', topic, 'attributes', attributes) end
if update ~= '' and state ~= 'ended' then redis.call('HSET', topic, 'update', update) end
if state == 'ended' or is_new_life and ending ~= '' then put('ending', ending) end
put('priority', priority)
put('ends_at', ends_at)
put('channel', channel)
put_label()
if sequence ~= '' then redis.call('HSET', topic, 'sequence', sequence) end
if not is_state then redis.call('HSET', topic, 'tenant', tenant, 'name', name, 'created_at', now, 'life', 1) end
if is_new_life then redis.call('HSET', topic, 'life', is_life + 1) end
if state == 'live' and is_state ~= 'live' then redis.call('HSET', topic, 'live_since', now) end
redis.call('HSET', topic, 'type', type, 'state', state, 'digest', digest, 'changed_at', now)
local version = redis.call('HINCRBY', topic, 'version', 1)
redis.call('ZADD', due, now, item)
return { 1, version }
