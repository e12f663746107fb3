-- put-topic (writes)
--
-- Writes the owner's content of a topic, unless the topic has newer or the same content. The topic's hash keeps the
-- content, and its item in the due queue makes a gateway drive the topic.
--
-- KEYS
--   topic
--   due: queue
--   running?: the topic's last activity, which has the topic's label
-- ARGV
--   item: of the topic in the due queue
--   now: epoch ms
--   tenant
--   name
--   type
--   state
--   digest: of the whole write
--   sequence: '' for none
--   start: payload for devices without a Live Activity, '' without an alert
--   update: payload, '' for none
--   ending: payload of the end, '' for none
--   priority: '' for the default of each push
--   ends_at: epoch ms, '' for none
--   channel: how the activity uses channels, '' for none
--   id_attribute: key of the activity's id among the attributes, '' for that of the topic's life
--   label: for people, '' for none. No push depends on it
--   attributes: payload with the attributes of starts from now on, '' to keep the former ones
--   seen: version and state as the caller has read them, '' for no topic
-- Reply: one of
--   changed = 1 {version: int}
--   unchanged = 2 {version: int}: nothing but the label is new
--   stale = 3 {sequence: int}: a newer write is stored
--   another_type = 4 {type: text}: the topic is live with another type
--   live = 5: a live topic cannot become upcoming
--   needs_start = 6: a live topic needs start content
--   raced = 7: the topic has changed since it was read

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
if not is_state then redis.call('HSET', topic, 'tenant', tenant, 'name', name, 'created_at', now) end
if state == 'live' and is_state ~= 'live' then redis.call('HSET', topic, 'live_since', now) end
redis.call('ZADD', due, now, item)
-- The state and the digest come last. Without them a repetition writes all again.
local version, new_life = (tonumber(is_version) or 0) + 1, {}
if not is_state or is_new_life then new_life = { 'life', is_state and is_life + 1 or 1 } end
redis.call('HSET', topic, 'type', type, 'state', state, 'digest', digest, 'changed_at', now, 'version', version,
    unpack(new_life))
return { 1, version }
