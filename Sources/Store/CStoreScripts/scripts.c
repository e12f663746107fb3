// Written by scripts/store_scripts from the Lua files of GatewayStore.
#include "CStoreScripts.h"

#define PART_activity_index \
    "local function beginning_at(parts, made_at)\n" \
    "    return redis.call('ZREVRANGEBYLEX', parts, '[' .. string.format('%.0f', made_at), '-', 'LIMIT', 0, 1)[1]\n" \
    "end\n" \
    "local function part_from(index, beginning)\n" \
    "    return beginning and index .. ':' .. beginning or index\n" \
    "end\n" \
    "local function made_at_of(entry)\n" \
    "    local time = 0\n" \
    "    for place = 1, 6 do time = time * 256 + string.byte(entry, place) end\n" \
    "    return time\n" \
    "end\n"

#define PART_add_job \
    "local function add_job(stream, broadcast, activity, part)\n" \
    "    if redis.call('EXISTS', stream) == 0 then\n" \
    "        redis.call('XGROUP', 'CREATE', stream, 'gateways', '0', 'MKSTREAM')\n" \
    "    end\n" \
    "    redis.call('XADD', stream, '*', 'b', broadcast, 'a', activity, 'p', part)\n" \
    "end\n"

#define PART_arrivals \
    "local function came_later(noted, arrived, now)\n" \
    "    return noted and noted > arrived + 100 and noted <= now + 2000\n" \
    "end\n" \
    "local function latest_arrival(noted, arrived, now)\n" \
    "    if noted and noted > tonumber(arrived) and noted <= now + 2000 then\n" \
    "        return string.format('%.0f', noted)\n" \
    "    end\n" \
    "    return arrived\n" \
    "end\n" \
    "local function arrivals_key(activity, period)\n" \
    "    return activity .. ':arrived:' .. string.format('%.0f', period)\n" \
    "end\n" \
    "local function may_be_overtaken(activity, arrived, now)\n" \
    "    if arrived + 100 >= now then return false end\n" \
    "    local period = math.floor(now / 60000)\n" \
    "    return redis.call('EXISTS', arrivals_key(activity, period - 1), arrivals_key(activity, period)) > 0\n" \
    "end\n" \
    "local function slots_left(activity, slots, arrived, now)\n" \
    "    local period, is_newer, left = math.floor(now / 60000), {}, {}\n" \
    "    for each = period - 1, period do\n" \
    "        local is = redis.call('HMGET', arrivals_key(activity, each), unpack(slots))\n" \
    "        for index = 1, #slots do\n" \
    "            is_newer[index] = is_newer[index] or came_later(tonumber(is[index] or nil), arrived, now)\n" \
    "        end\n" \
    "    end\n" \
    "    for index, slot in ipairs(slots) do\n" \
    "        if not is_newer[index] then left[#left + 1] = struct.pack('<I4', tonumber(slot)) end\n" \
    "    end\n" \
    "    return table.concat(left), #slots - #left\n" \
    "end\n" \
    "local function note_arrival(changes, activity, noted, arrived, now, whole, listed)\n" \
    "    if whole then\n" \
    "        changes[#changes + 1] = 'arrived'\n" \
    "        changes[#changes + 1] = latest_arrival(tonumber(noted), arrived, now)\n" \
    "    elseif listed and #listed > 0 then\n" \
    "        local key, fields = arrivals_key(activity, math.floor(now / 60000)), {}\n" \
    "        local is = redis.call('HMGET', key, unpack(listed))\n" \
    "        for index, slot in ipairs(listed) do\n" \
    "            fields[#fields + 1] = slot\n" \
    "            fields[#fields + 1] = latest_arrival(tonumber(is[index] or nil), arrived, now)\n" \
    "        end\n" \
    "        redis.call('HSET', key, unpack(fields))\n" \
    "        redis.call('PEXPIRE', key, 2 * 60000)\n" \
    "    end\n" \
    "end\n"

#define PART_beginning \
    "local function parts_of_schedule(text)\n" \
    "    local version, id, name = string.match(text, '^(%d+):([^:]+):(.*)$')\n" \
    "    return { version = version, id = id or '', name = name }\n" \
    "end\n" \
    "local function parts_of_topic(text)\n" \
    "    local driver, version, joined, life = string.match(text, '^([^:]*):(%d*):(%d*):(%d*)$')\n" \
    "    return { driver = driver or '', version = version or '', joined = joined or '', life = life or '' }\n" \
    "end\n" \
    "local function read_fields(key, names)\n" \
    "    local is, values = {}, redis.call('HMGET', key, unpack(names))\n" \
    "    for index, name in ipairs(names) do is[name] = values[index] end\n" \
    "    return is\n" \
    "end\n" \
    "local function is_recorded(activity, broadcast, id, packed_id)\n" \
    "    return redis.call('EXISTS', broadcast) == 1 or find_ended(activity, id, packed_id)\n" \
    "end\n" \
    "local function refusal_of(draft, due, state, topic)\n" \
    "    local schedule = draft.schedule\n" \
    "    if schedule.id ~= '' and not is_waiting(draft.activity, due, draft.activity_id, schedule.id, schedule.version) then\n" \
    "        return { 3 }\n" \
    "    end\n" \
    "    if state ~= draft.expected_state then return { 0, state or '' } end\n" \
    "    if topic and redis.call('HGET', topic, 'driver') ~= draft.topic.driver then return { 0, 'driver' } end\n" \
    "    return nil\n" \
    "end\n" \
    "local function note_older_timestamps(activity, is, whole_last, used, last)\n" \
    "    note_older_timestamp(activity, 'whole_timestamp', is.whole_timestamp, whole_last, last)\n" \
    "    if used then note_older_timestamp(activity, 'used_timestamp', is.used_timestamp, used, last) end\n" \
    "end\n" \
    "local function next_order(is) return (tonumber(is.order) or 0) + 1 end\n" \
    "local function complete_payload(before, after, timestamp)\n" \
    "    return after == '' and before or before .. string.format('%.0f', timestamp) .. after\n" \
    "end\n" \
    "local function fulfil_schedule(draft, due)\n" \
    "    if draft.schedule.id == '' then return end\n" \
    "    end_schedule(draft.activity, due, draft.activity_id, draft.schedule.id, draft.now, 'done', 'broadcast',\n" \
    "        draft.id)\n" \
    "end\n" \
    "local function is_settled(is) return is.order and is.order == is.settled end\n" \
    "local function add_open(draft, order, open_broadcasts)\n" \
    "    redis.call('HSET', open_broadcasts, order,\n" \
    "        draft.id .. ':' .. draft.kind .. ':' .. (draft.whole and 'whole' or 'slots'))\n" \
    "end\n" \
    "local function add_unfinished(draft, order, tenant, open_broadcasts, unfinished, owners, counts)\n" \
    "    local member = draft.activity_id .. ':' .. draft.id\n" \
    "    add_open(draft, order, open_broadcasts)\n" \
    "    redis.call('PEXPIREAT', open_broadcasts, draft.kept_until)\n" \
    "    redis.call('ZADD', unfinished, draft.kept_until, member)\n" \
    "    count_for(owners, counts, member, tenant or '')\n" \
    "end\n" \
    "local function write_record(draft, broadcast, order, timestamp, payload, fields, is_held)\n" \
    "    local record = {\n" \
    "        'kind', draft.kind, 'state', is_held and 'running' or 'queued', 'created_at', draft.now,\n" \
    "        'order', order, 'timestamp', string.format('%.0f', timestamp), 'payload', payload,\n" \
    "    }\n" \
    "    if not draft.whole then fields[#fields + 1], fields[#fields + 2] = 'scope', draft.scope end\n" \
    "    for _, each in ipairs(fields) do record[#record + 1] = each end\n" \
    "    redis.call('HSET', broadcast, unpack(record))\n" \
    "    if not is_held then redis.call('PEXPIREAT', broadcast, draft.kept_until) end\n" \
    "end\n" \
    "local function change_activity(draft, order, topic, recent, changes, is_held)\n" \
    "    local list = nil\n" \
    "    if topic and not draft.whole then\n" \
    "        list_recent(draft.activity .. ':recent_followers', draft.id, draft.kept_until)\n" \
    "    else\n" \
    "        list = recent_with(recent, draft.activity, draft.id, draft.packed_id, draft.kept_until)\n" \
    "    end\n" \
    "    if list then changes[#changes + 1], changes[#changes + 2] = 'recent', list end\n" \
    "    if not is_held then changes[#changes + 1], changes[#changes + 2] = 'indexed', order end\n" \
    "    redis.call('HSET', draft.activity, 'order', order, unpack(changes))\n" \
    "end\n"

#define PART_catch_up \
    "local function keep_for_catch_up(activity, is, id, order, is_update)\n" \
    "    local newest = is.newest_update\n" \
    "    if newest then\n" \
    "        local broadcast = activity .. ':b:' .. newest\n" \
    "        local state = redis.call('HGET', broadcast, 'state')\n" \
    "        if state ~= 'queued' and state ~= 'running' then fold_record(broadcast) end\n" \
    "        redis.call('HDEL', activity, 'newest_update', 'newest_order')\n" \
    "    end\n" \
    "    if is.catch_up and is_update then redis.call('HSET', activity, 'newest_update', id, 'newest_order', order) end\n" \
    "end\n"

#define PART_cell_writing \
    "local function widened(cells, old, new)\n" \
    "    local parts = {}\n" \
    "    local padding = string.rep('\\0', new - old)\n" \
    "    for start = 1, #cells, old do\n" \
    "        parts[#parts + 1] = string.sub(cells, start, start + old - 1)\n" \
    "        parts[#parts + 1] = padding\n" \
    "    end\n" \
    "    return table.concat(parts)\n" \
    "end\n" \
    "local function write_cell(page, index, cell, statuses, expires_at, width)\n" \
    "    width = width or width_of(page)\n" \
    "    if not width then\n" \
    "        local before, behind = index, math.max(length_of(statuses) - index - 1, 0)\n" \
    "        put_page(page, string.char(#cell) .. string.rep('\\0', #cell * before) .. cell\n" \
    "            .. string.rep('\\0', #cell * behind), expires_at)\n" \
    "        return\n" \
    "    end\n" \
    "    if #cell > width then\n" \
    "        local content = string.char(#cell) .. widened(read_range(page, 1, -1), width, #cell)\n" \
    "        width = #cell\n" \
    "        if page.short then\n" \
    "            rewrite(page, content)\n" \
    "        else\n" \
    "            redis.call('SET', page.key, content, 'KEEPTTL')\n" \
    "        end\n" \
    "    end\n" \
    "    write_range(page, 1 + index * width, cell .. string.rep('\\0', width - #cell))\n" \
    "end\n"

#define PART_cells \
    "local function width_of(page)\n" \
    "    return string.byte(read_range(page, 0, 0))\n" \
    "end\n" \
    "local function read_cell(page, index)\n" \
    "    local width = width_of(page)\n" \
    "    if not width then return nil, 0 end\n" \
    "    local start = 1 + index * width\n" \
    "    local cell = read_range(page, start, start + width - 1)\n" \
    "    local length = string.byte(cell, 1) or 0\n" \
    "    if length == 0 then return '', string.byte(cell, 2) or 0, width, string.sub(cell, 3, 10) end\n" \
    "    return string.sub(cell, 2, 1 + length), 0, width\n" \
    "end\n"

#define PART_crossings \
    "local function note_crossing(usage, name, used, limit, again_after, now, crossed)\n" \
    "    limit = tonumber(limit)\n" \
    "    if limit <= 0 then return end\n" \
    "    local level = used >= limit and 2 or used * 10 >= limit * 8 and 1 or 0\n" \
    "    local field = 'told:' .. name\n" \
    "    local told, at = string.match(redis.call('HGET', usage, field) or '', '^(%d):(%d+)$')\n" \
    "    told, at = tonumber(told) or 0, tonumber(at) or 0\n" \
    "    if level < told and used * 10 < limit * (told == 2 and 9 or 7) and now - at >= again_after then\n" \
    "        told = level\n" \
    "        redis.call('HSET', usage, field, told .. ':' .. string.format('%.0f', now))\n" \
    "    end\n" \
    "    if level > told then\n" \
    "        redis.call('HSET', usage, field, level .. ':' .. string.format('%.0f', now))\n" \
    "        for _, value in ipairs({ name, tostring(level), string.format('%.0f', used), string.format('%.0f', limit) }) do\n" \
    "            crossed[#crossed + 1] = value\n" \
    "        end\n" \
    "    end\n" \
    "end\n"

#define PART_dead_letters \
    "local function release(prefix, id, remembered)\n" \
    "    local key = prefix .. id\n" \
    "    if redis.call('HEXISTS', key, 'n') == 1 and redis.call('HINCRBY', key, 'n', -1) <= 0 then\n" \
    "        redis.call('HDEL', key, 'type', 'time', 'data', 'n')\n" \
    "        redis.call('PEXPIRE', key, remembered)\n" \
    "    end\n" \
    "end\n" \
    "local function bury(webhook, prefix, id, now, most, remembered)\n" \
    "    redis.call('ZREM', webhook .. ':q', id)\n" \
    "    redis.call('ZREM', webhook .. ':b', id)\n" \
    "    redis.call('ZADD', webhook .. ':d', now, id)\n" \
    "    while redis.call('ZCARD', webhook .. ':d') > most do\n" \
    "        local oldest = redis.call('ZRANGE', webhook .. ':d', 0, 0)[1]\n" \
    "        redis.call('ZREM', webhook .. ':d', oldest)\n" \
    "        redis.call('HDEL', webhook .. ':n', oldest)\n" \
    "        redis.call('HINCRBY', webhook, 'dropped', 1)\n" \
    "        release(prefix, oldest, remembered)\n" \
    "    end\n" \
    "end\n"

#define PART_delivery_statuses \
    "local function put_statuses(page, first, new)\n" \
    "    local old = read_range(page, first, first + #new - 1)\n" \
    "    local plain\n" \
    "    if #old == #new and not string.find(old, '[^\\001]') then\n" \
    "        plain = string.gsub(new, '%z', '\\001')\n" \
    "    elseif #old == #new and not string.find(old, '[^\\001\\003-\\006]') and not string.find(new, '[%z\\001-\\015]') then\n" \
    "        plain = new\n" \
    "    end\n" \
    "    if plain then\n" \
    "        write_range(page, first, plain)\n" \
    "        return old, plain\n" \
    "    end\n" \
    "    local merged = {}\n" \
    "    for index = 1, #old do\n" \
    "        local is, becomes = string.byte(old, index), string.byte(new, index)\n" \
    "        local is_live = is ~= 0 and is ~= 2 and is < 16\n" \
    "        local changes = becomes ~= 0 and is_live and (is == 1 or becomes >= 16)\n" \
    "        merged[index] = string.char(changes and becomes or is)\n" \
    "    end\n" \
    "    merged = table.concat(merged)\n" \
    "    write_range(page, first, merged)\n" \
    "    return old, merged\n" \
    "end\n"

#define PART_departures \
    "local function departure_of(not_before, created_at, now)\n" \
    "    if (tonumber(created_at) or 0) > now + 2000 then return 0 end\n" \
    "    return tonumber(not_before) or 0\n" \
    "end\n"

#define PART_device_marks \
    "local function marked(record, mark)\n" \
    "    local length = 1\n" \
    "    while (string.byte(record, length) or 0) >= 128 do length = length + 1 end\n" \
    "    local last = string.byte(record, length + 7)\n" \
    "    if not last or string.byte(record, length + 1) < 64 or math.floor(last / mark) % 2 == 1 then return nil end\n" \
    "    return string.sub(record, 1, length + 6) .. string.char(last + mark) .. string.sub(record, length + 8)\n" \
    "end\n"

#define PART_doubts \
    "local function slot_of(page, index)\n" \
    "    return string.format('%.0f', page * 868 + index)\n" \
    "end\n"

#define PART_drivers \
    "local function note_driver(activity, is, schedule, name, expires_at)\n" \
    "    local owner = schedule ~= '' and owner_of(activity, schedule)\n" \
    "    local driven = activity .. ':driven'\n" \
    "    if owner then\n" \
    "        redis.call('HSET', activity, 'driven', '1')\n" \
    "        redis.call('HSET', driven, owner, schedule .. ':' .. name)\n" \
    "        redis.call('PEXPIREAT', driven, expires_at)\n" \
    "        return\n" \
    "    end\n" \
    "    if is.driven then\n" \
    "        redis.call('UNLINK', driven)\n" \
    "        redis.call('HDEL', activity, 'driven')\n" \
    "    end\n" \
    "    if schedule ~= '' then\n" \
    "        redis.call('HSET', activity, 'schedule', schedule, 'schedule_name', name)\n" \
    "    elseif is.schedule then\n" \
    "        redis.call('HDEL', activity, 'schedule', 'schedule_name')\n" \
    "    end\n" \
    "end\n" \
    "local function driver(activity, user)\n" \
    "    local own = redis.call('HGET', activity .. ':driven', user)\n" \
    "    if own then\n" \
    "        local schedule, name = string.match(own, '^([^:]*):(.*)$')\n" \
    "        return { schedule, name }\n" \
    "    end\n" \
    "    local is = redis.call('HMGET', activity, 'schedule', 'schedule_name')\n" \
    "    return { is[1] or '', is[2] or '' }\n" \
    "end\n"

#define PART_due_shares \
    "local function holder_of(item, prefix, tenants)\n" \
    "    local tenant = string.match(item, '^[xd]:[^:]*:[^:]*:([^:]*):')\n" \
    "    if tenant then return 'e:' .. tenant end\n" \
    "    tenant = string.match(item, '^y:([^:]*):')\n" \
    "    if tenant then return 'o:' .. tenant end\n" \
    "    local kind, activity = string.match(item, '^(%a):([^:]*)')\n" \
    "    if not activity then return 'o:' end\n" \
    "    if tenants[activity] == nil then tenants[activity] = redis.call('HGET', prefix .. activity, 'tenant') or '' end\n" \
    "    return (kind == 's' and 's:' or 'o:') .. tenants[activity]\n" \
    "end\n" \
    "local function give_turn(due, holder, only_new)\n" \
    "    local turns = due .. ':turns'\n" \
    "    if only_new and redis.call('ZSCORE', turns, holder) then return end\n" \
    "    local last = redis.call('ZRANGE', turns, -1, -1, 'WITHSCORES')[2] or '0'\n" \
    "    redis.call('ZADD', turns, string.format('%.0f', last + 1), holder)\n" \
    "    redis.call('PEXPIRE', turns, 60000)\n" \
    "end\n" \
    "local function sort_due(due, head, again_at, prefix)\n" \
    "    local tenants, seen = {}, {}\n" \
    "    for index = 1, #head, 2 do\n" \
    "        local item = head[index]\n" \
    "        local holder = holder_of(item, prefix, tenants)\n" \
    "        redis.call('ZADD', due .. ':of:' .. holder, 'NX', head[index + 1], item)\n" \
    "        redis.call('ZADD', due, again_at, item)\n" \
    "        seen[holder] = true\n" \
    "    end\n" \
    "    for holder in pairs(seen) do\n" \
    "        redis.call('PEXPIRE', due .. ':of:' .. holder, 60000)\n" \
    "        give_turn(due, holder, true)\n" \
    "    end\n" \
    "end\n" \
    "local function next_item(due, holder)\n" \
    "    local queue = due .. ':of:' .. holder\n" \
    "    while true do\n" \
    "        local item = redis.call('ZRANGE', queue, 0, 0)[1]\n" \
    "        if not item then return nil end\n" \
    "        redis.call('ZREM', queue, item)\n" \
    "        if redis.call('ZSCORE', due, item) then return item end\n" \
    "    end\n" \
    "end\n" \
    "local function take_turns(due, count, has_room, take)\n" \
    "    local holders, taken = redis.call('ZRANGE', due .. ':turns', 0, 63), 0\n" \
    "    while #holders > 0 and taken < count do\n" \
    "        local others = {}\n" \
    "        for _, holder in ipairs(holders) do\n" \
    "            if taken == count then break end\n" \
    "            local is_allowed = has_room(holder)\n" \
    "            local item = is_allowed and next_item(due, holder)\n" \
    "            if item then\n" \
    "                take(item, holder)\n" \
    "                taken = taken + 1\n" \
    "                others[#others + 1] = holder\n" \
    "            end\n" \
    "            if item or not is_allowed then\n" \
    "                give_turn(due, holder)\n" \
    "            else\n" \
    "                redis.call('ZREM', due .. ':turns', holder)\n" \
    "            end\n" \
    "        end\n" \
    "        holders = others\n" \
    "    end\n" \
    "end\n"

#define PART_ended_broadcasts \
    "local function ended_of(activity) return activity .. ':ended' end\n" \
    "local function field_of_ended(activity, id)\n" \
    "    return string.sub(id, 1, 23) == string.sub(activity, -36, -14) and string.sub(id, -12) or nil\n" \
    "end\n" \
    "local function packed(id)\n" \
    "    return (string.gsub(string.gsub(id, '-', ''), '%x%x', function(digits)\n" \
    "        return string.char(tonumber(digits, 16))\n" \
    "    end))\n" \
    "end\n" \
    "local function parts_of_key(broadcast)\n" \
    "    local activity, id = string.match(broadcast, '^(.*):b:([^:]*)$')\n" \
    "    return activity, id, packed(id)\n" \
    "end\n" \
    "local function find_ended(activity, id, packed_id)\n" \
    "    local field = field_of_ended(activity, id)\n" \
    "    local value = field and redis.call('HGET', activity, field)\n" \
    "    if value then return activity, field, value end\n" \
    "    value = redis.call('HGET', ended_of(activity), packed_id)\n" \
    "    if value then return ended_of(activity), packed_id, value end\n" \
    "end\n" \
    "local function parts_of_ended(value)\n" \
    "    local parts, position = {}, 1\n" \
    "    while #parts < 10 do\n" \
    "        local blank = string.find(value, ' ', position, true)\n" \
    "        parts[#parts + 1] = string.sub(value, position, (blank or #value + 1) - 1)\n" \
    "        position = (blank or #value) + 1\n" \
    "    end\n" \
    "    parts[11] = string.sub(value, position)\n" \
    "    return parts\n" \
    "end\n" \
    "local function ended_with(parts)\n" \
    "    return (string.gsub(table.concat(parts, ' '), ' +$', ''))\n" \
    "end\n" \
    "local function fields_for_ended(activity, id)\n" \
    "    local field = field_of_ended(activity, id)\n" \
    "    return field and { 'ended', 'created_at', field }\n" \
    "end\n" \
    "local function put_ended(activity, id, packed_id, value, is, changes)\n" \
    "    local names = fields_for_ended(activity, id)\n" \
    "    local count, made_at, old = unpack(is or names and redis.call('HMGET', activity, unpack(names)) or {}, 1, 3)\n" \
    "    local written = changes or {}\n" \
    "    if old or count and tonumber(count) < 16 and #value <= 64 then\n" \
    "        local short = string.gsub(value, '^(%a%a)(%d+)', function(head, time)\n" \
    "            return head .. string.format('%+.0f', time - made_at)\n" \
    "        end)\n" \
    "        for _, each in ipairs({ 'ended', old and count or tonumber(count) + 1, names[3], short }) do\n" \
    "            written[#written + 1] = each\n" \
    "        end\n" \
    "    else\n" \
    "        local ended = ended_of(activity)\n" \
    "        redis.call('HSET', ended, packed_id, value)\n" \
    "        if redis.call('PTTL', ended) < 0 then\n" \
    "            local left = redis.call('PTTL', activity)\n" \
    "            if left > 0 then redis.call('PEXPIRE', ended, left) elseif left == -2 then redis.call('UNLINK', ended) end\n" \
    "        end\n" \
    "    end\n" \
    "    if #written > 0 then redis.call('HSET', activity, unpack(written)) end\n" \
    "end\n" \
    "local function keep_ended(broadcast, is, activity_is, changes)\n" \
    "    local function after(time) return time and string.format('%.0f', time - is.created_at) or '' end\n" \
    "    local function unless_none(count) return count ~= '0' and count or '' end\n" \
    "    local started = after(is.started_at)\n" \
    "    if is.started_at and is.first_push and is.last_push then\n" \
    "        started = string.format('%s+%.0f+%.0f', started, is.first_push - is.started_at, is.last_push - is.first_push)\n" \
    "    end\n" \
    "    local second = math.floor(is.created_at / 1000)\n" \
    "    local ahead = is.timestamp and string.format('%.0f', is.timestamp - second)\n" \
    "    local activity, id, packed_id = parts_of_key(broadcast)\n" \
    "    put_ended(activity, id, packed_id, ended_with({\n" \
    "        string.sub(is.kind, 1, 1) .. string.sub(is.state, 1, 1) .. is.created_at,\n" \
    "        started, after(is.finished_at), unless_none(ahead), unless_none(is.updates),\n" \
    "        unless_none(is.accepted), is.skipped or '', is.cohorts or '',\n" \
    "        (is.events == '1' and 'e' or '') .. (is.wrong_environment == '1' and 'w' or '')\n" \
    "            .. (is.source == 'device' and 'd' or '') .. (is.reason or ''),\n" \
    "        is.follows or '', is.failed or '',\n" \
    "    }), activity_is, changes)\n" \
    "end\n" \
    "local RECORD_NAMES = {\n" \
    "    'kind', 'state', 'created_at', 'started_at', 'finished_at', 'timestamp', 'updates', 'accepted', 'failed', 'skipped',\n" \
    "    'cohorts', 'events', 'wrong_environment', 'reason', 'follows', 'first_push', 'last_push', 'source', 'late', 'scope',\n" \
    "}\n" \
    "local function read_record(broadcast)\n" \
    "    local is, values = {}, redis.call('HMGET', broadcast, unpack(RECORD_NAMES))\n" \
    "    for index, name in ipairs(RECORD_NAMES) do is[name] = values[index] end\n" \
    "    return is\n" \
    "end\n" \
    "local function fold_record(broadcast, after)\n" \
    "    local is = read_record(broadcast)\n" \
    "    if not is.kind or not is.created_at then return end\n" \
    "    keep_ended(broadcast, is)\n" \
    "    if after then redis.call('PEXPIRE', broadcast, after) else redis.call('UNLINK', broadcast) end\n" \
    "end\n"

#define PART_ending \
    "local function write_end(broadcast, activity, kept, is, activity_is, changes, fields_at)\n" \
    "    if kept == 'short' and not is.late and is.kind then\n" \
    "        for index = fields_at, #ARGV, 2 do is[ARGV[index]] = ARGV[index + 1] end\n" \
    "        keep_ended(broadcast, is, activity_is, changes)\n" \
    "        redis.call('UNLINK', broadcast)\n" \
    "        return\n" \
    "    end\n" \
    "    if #changes > 0 then redis.call('HSET', activity, unpack(changes)) end\n" \
    "    if kept == 'none' then return redis.call('UNLINK', broadcast) end\n" \
    "    if not is.kind then return end\n" \
    "    local gone = { 'jobs_done', 'superseded', 'not_before', 'stop', 'paused', 'paused_at', 'held' }\n" \
    "    for _, field in ipairs(redis.call('HKEYS', broadcast)) do\n" \
    "        if string.match(field, '^d[0-9*=+]+$') or string.match(field, '^stop:') or string.match(field, '^met:') then\n" \
    "            gone[#gone + 1] = field\n" \
    "        end\n" \
    "        if #gone >= 1000 then\n" \
    "            redis.call('HDEL', broadcast, unpack(gone))\n" \
    "            gone = { 'stop' }\n" \
    "        end\n" \
    "    end\n" \
    "    local left = redis.call('PTTL', broadcast) == -1 and redis.call('PTTL', activity) or -1\n" \
    "    if left > 0 then redis.call('PEXPIRE', broadcast, left) end\n" \
    "    redis.call('HSET', broadcast, unpack(ARGV, fields_at))\n" \
    "    redis.call('HDEL', broadcast, unpack(gone))\n" \
    "end\n" \
    "local function end_broadcast(broadcast, open_broadcasts, activity, order, id, kept, has_failed, fields_at)\n" \
    "    local names = fields_for_ended(activity, id) or {}\n" \
    "    local activity_is = redis.call('HMGET', activity, 'order', 'settled', 'indexed', 'shown_order', 'newest_update',\n" \
    "        unpack(names))\n" \
    "    local newest, settled, indexed, shown_order, newest_update = unpack(activity_is, 1, 5)\n" \
    "    local is, changes = read_record(broadcast), {}\n" \
    "    local is_indexed = newest == indexed\n" \
    "    if is_indexed then leave_turns(activity, order, slots_of_scope(is.scope)) end\n" \
    "    if has_failed and shown_order == order then redis.call('HDEL', activity, 'shown', 'shown_order') end\n" \
    "    redis.call('HDEL', open_broadcasts, order)\n" \
    "    local was_alone = newest == order and settled and tonumber(settled) == tonumber(order) - 1\n" \
    "    if was_alone or redis.call('EXISTS', open_broadcasts) == 0 then\n" \
    "        if is_indexed then redis.call('DEL', activity .. ':turns', activity .. ':turns:slots') end\n" \
    "        if newest then changes = { 'settled', newest } end\n" \
    "    end\n" \
    "    if kept == 'short' and newest_update == id then kept = 'all' end\n" \
    "    write_end(broadcast, activity, kept, is, names[1] and { unpack(activity_is, 6, 8) }, changes, fields_at)\n" \
    "end\n"

#define PART_event_places \
    "local function next_place(event_stream)\n" \
    "    local place = redis.call('XADD', event_stream, '*', 'place', '')\n" \
    "    redis.call('XDEL', event_stream, place)\n" \
    "    return place\n" \
    "end\n"

#define PART_event_switch \
    "local function switch(key)\n" \
    "    local on = '0'\n" \
    "    local settings = redis.call('HGETALL', key)\n" \
    "    for index = 1, #settings, 2 do\n" \
    "        local name = settings[index]\n" \
    "        if name == 'stream' and settings[index + 1] == '1' or string.sub(name, 1, 2) == 'w:' then on = '1' end\n" \
    "    end\n" \
    "    redis.call('HSET', key, 'on', on)\n" \
    "end\n"

#define PART_first_device \
    "local function is_unknown(user)\n" \
    "    return redis.call('EXISTS', user, user .. ':x', user .. ':y', user .. ':z') == 0\n" \
    "end\n" \
    "local function make_first_device(user, field, record, type, token, time)\n" \
    "    local value = '\\1' .. string.char(string.byte(record, 1) + 32) .. time .. string.sub(record, 2)\n" \
    "    if token == '' then\n" \
    "        redis.call('HSET', user, 'v', '1', field, value)\n" \
    "    else\n" \
    "        redis.call('HSET', user, 'v', '1', field, value, 't\\1' .. type, time .. token)\n" \
    "    end\n" \
    "end\n"

#define PART_followers \
    "local function accepted_in(statuses)\n" \
    "    local _, number = string.gsub(statuses, '\\003', '')\n" \
    "    return number\n" \
    "end\n" \
    "local function count_followers(counters, before, after, expires_at)\n" \
    "    local growth = accepted_in(after) - accepted_in(before)\n" \
    "    if growth == 0 then return end\n" \
    "    redis.call('HINCRBY', counters, 'following', growth)\n" \
    "    if expires_at then redis.call('PEXPIREAT', counters, expires_at) end\n" \
    "end\n"

#define PART_former_tokens \
    "local kinds_with_one_token = {[2]=true}\n" \
    "local function keeps_former(slot)\n" \
    "    return not kinds_with_one_token[math.floor(tonumber(slot) / 56885248)]\n" \
    "end\n" \
    "local function digest_of(token)\n" \
    "    return string.sub(redis.sha1hex(token), 1, 8)\n" \
    "end\n" \
    "local function divider()\n" \
    "    return '--------'\n" \
    "end\n" \
    "local function last_digest(rest)\n" \
    "    return rest and #rest == 8 and string.byte(rest) ~= 0 and rest or ''\n" \
    "end\n" \
    "local function cell_without_token(cell, slot, old, rest, is_kept)\n" \
    "    if not old or old == '' then return cell .. last_digest(rest) end\n" \
    "    if is_kept or keeps_former(slot) then return cell .. digest_of(string.sub(old, 5)) end\n" \
    "    return cell\n" \
    "end\n" \
    "local function former_rank(earlier, last, token, status)\n" \
    "    if not earlier and last == '' then return 0 end\n" \
    "    local has_failed = status == 4 or status == 6\n" \
    "    if has_failed and last == '' and string.sub(earlier, -8) == divider() then\n" \
    "        last, earlier = string.sub(earlier, -16, -9), string.sub(earlier, 1, -17)\n" \
    "    end\n" \
    "    local digest, rank = digest_of(token), 0\n" \
    "    if last == digest then return 2 end\n" \
    "    for at = 1, #(earlier or ''), 8 do\n" \
    "        local entry = string.sub(earlier, at, at + 7)\n" \
    "        if entry == digest then\n" \
    "            rank = 1\n" \
    "        elseif entry == divider() and rank == 1 then\n" \
    "            rank = -1\n" \
    "        end\n" \
    "    end\n" \
    "    return rank\n" \
    "end\n"

#define PART_healing \
    "local function keep_for_healing(activity, due, activity_id, name, payload, broadcast, now, expires_at)\n" \
    "    local kept, item = activity .. ':heal', 'h:' .. activity_id\n" \
    "    if not name then\n" \
    "        redis.call('DEL', kept)\n" \
    "        redis.call('ZREM', due, item)\n" \
    "        return\n" \
    "    end\n" \
    "    redis.call('HSET', kept, name, payload, name .. '_id', broadcast)\n" \
    "    redis.call('PEXPIREAT', kept, expires_at)\n" \
    "    if name == 'start' then redis.call('ZADD', due, now, item) end\n" \
    "end\n"

#define PART_held_jobs \
    "local function parts_of_held(value)\n" \
    "    return string.match(value, '^(%d+) (%S+) (%d+) (%S+) (.*)$')\n" \
    "end\n" \
    "local function put_held(held, member, hold, kept_until, part, tenant)\n" \
    "    redis.call('HSET', held, member, table.concat({ hold, kept_until, part, tenant }, ' '))\n" \
    "end\n" \
    "local function give_back(held, member, value, prefix, stream, unfinished, owners, counts)\n" \
    "    require_writes(held, 'HDEL')\n" \
    "    local activity_id, id = string.match(member, '^(.-):(.*)$')\n" \
    "    local activity = prefix .. activity_id\n" \
    "    local broadcast, open_broadcasts = activity .. ':b:' .. id, activity .. ':open'\n" \
    "    local _, _, kept_until, part, tenant = parts_of_held(value)\n" \
    "    if redis.call('EXISTS', activity, broadcast) == 2 then\n" \
    "        redis.call('PEXPIREAT', broadcast, kept_until)\n" \
    "        redis.call('PEXPIREAT', open_broadcasts, kept_until)\n" \
    "        redis.call('ZADD', unfinished, kept_until, member)\n" \
    "        count_for(owners, counts, member, tenant)\n" \
    "        add_job(stream, id, activity_id, part)\n" \
    "    else\n" \
    "        redis.call('PEXPIREAT', open_broadcasts, kept_until)\n" \
    "        redis.call('UNLINK', broadcast)\n" \
    "    end\n" \
    "    redis.call('HDEL', held, member)\n" \
    "end\n"

#define PART_hours \
    "local function updates_of_hour(now, hour, count)\n" \
    "    return hour == string.format('%.0f', math.floor(now / 3600000)) and tonumber(count) or 0\n" \
    "end\n" \
    "local function priority_of_update(now, hour, urgent, budget)\n" \
    "    return (budget == 0 or updates_of_hour(now, hour, urgent) < budget) and 10 or 5\n" \
    "end\n" \
    "local function count_update(changes, now, hour, count, urgent, is_urgent)\n" \
    "    local updates = updates_of_hour(now, hour, count) + 1\n" \
    "    local running = string.format('%.0f', math.floor(now / 3600000))\n" \
    "    for _, each in ipairs({ 'hour', running, 'hour_updates', updates }) do changes[#changes + 1] = each end\n" \
    "    if urgent or is_urgent then\n" \
    "        changes[#changes + 1] = 'hour_urgent'\n" \
    "        changes[#changes + 1] = updates_of_hour(now, hour, urgent) + (is_urgent and 1 or 0)\n" \
    "    end\n" \
    "    return updates\n" \
    "end\n"

#define PART_identities \
    "local function runs_of(short)\n" \
    "    local runs, position = {}, 1\n" \
    "    while position + 2 <= #short do\n" \
    "        local first, length = struct.unpack('<I2B', short, position)\n" \
    "        runs[#runs + 1] = { first, string.sub(short, position + 3, position + 2 + length) }\n" \
    "        position = position + 3 + length\n" \
    "    end\n" \
    "    return runs\n" \
    "end\n" \
    "local function find_run(page, first)\n" \
    "    if not page.short then return redis.call('HGET', page.key, first) or nil end\n" \
    "    for _, run in ipairs(runs_of(page.short)) do\n" \
    "        if run[1] == tonumber(first) then return run[2] end\n" \
    "    end\n" \
    "end\n" \
    "local function put_run(page, first, run, expires_at)\n" \
    "    first = tonumber(first)\n" \
    "    local runs, is_there = runs_of(page.short or ''), false\n" \
    "    for _, other in ipairs(runs) do\n" \
    "        if other[1] == first then other[2], is_there = run, true end\n" \
    "    end\n" \
    "    if not is_there then runs[#runs + 1] = { first, run } end\n" \
    "    local parts, size = {}, 0\n" \
    "    for place, other in ipairs(runs) do\n" \
    "        size = size + 3 + #other[2]\n" \
    "        parts[place] = #other[2] < 256 and struct.pack('<I2B', other[1], #other[2]) .. other[2] or ''\n" \
    "    end\n" \
    "    if size <= 64 and (page.short or redis.call('EXISTS', page.key) == 0 and may_be_short(page)) then\n" \
    "        put_page(page, table.concat(parts), expires_at, true)\n" \
    "        return\n" \
    "    end\n" \
    "    for _, other in ipairs(runs) do redis.call('HSET', page.key, other[1], other[2]) end\n" \
    "    redis.call('PEXPIREAT', page.key, expires_at)\n" \
    "    if page.short then\n" \
    "        redis.call('HDEL', page.counters, page.field)\n" \
    "        page.short = false\n" \
    "    end\n" \
    "end\n"

#define PART_in_slices \
    "local function in_slices(values, write)\n" \
    "    for first = 1, #values, 1000 do write(unpack(values, first, math.min(first + 999, #values))) end\n" \
    "end\n"

#define PART_job_entries \
    "local function is_taken_by(stream, id, consumer)\n" \
    "    if redis.call('EXISTS', stream) == 0 then return false end\n" \
    "    local pending = redis.call('XPENDING', stream, 'gateways', id, id, 1)\n" \
    "    return #pending == 1 and pending[1][2] == consumer\n" \
    "end\n" \
    "local function remove(stream, id)\n" \
    "    redis.call('XDEL', stream, id)\n" \
    "    if redis.call('XLEN', stream) == 0 then redis.call('DEL', stream) else redis.call('XACK', stream, 'gateways', id) end\n" \
    "end\n"

#define PART_keep_digest \
    "local function keep_digest(counters, slot, digest, expires_at, is_over)\n" \
    "    if digest == '' or not keeps_former(slot) then return end\n" \
    "    if is_over then digest = digest .. divider() end\n" \
    "    local field = 'former:' .. slot\n" \
    "    local earlier = redis.call('HGET', counters, field) or ''\n" \
    "    if string.sub(earlier, -#digest) == digest then return end\n" \
    "    redis.call('HSET', counters, field, string.sub(earlier .. digest, -8 * 8))\n" \
    "    redis.call('PEXPIREAT', counters, expires_at)\n" \
    "end\n"

#define PART_known_outcomes \
    "local function outcomes_of(page)\n" \
    "    local slots\n" \
    "    return function(index)\n" \
    "        if not slots then\n" \
    "            local is = read_page(page) or '\\0'\n" \
    "            local _, position = kinds_of(is, 2, string.byte(is, 1) or 0)\n" \
    "            slots = string.sub(is, position)\n" \
    "        end\n" \
    "        return (string.byte(slots, index + 1) or 0) ~= 0\n" \
    "    end\n" \
    "end\n"

#define PART_looks \
    "local function note_look(counters, page, expires_at)\n" \
    "    local key = string.sub(counters, 1, -2) .. 'l'\n" \
    "    redis.call('HINCRBY', key, page, 1)\n" \
    "    redis.call('PEXPIREAT', key, expires_at)\n" \
    "end\n"

#define PART_minute_window \
    "local function now_ms()\n" \
    "    local time = redis.call('TIME')\n" \
    "    return time[1] * 1000 + math.floor(time[2] / 1000)\n" \
    "end\n" \
    "local function add_to_window(text, count, limit, window, now)\n" \
    "    local second, seconds, counts, sum = math.floor(now / 1000), {}, {}, 0\n" \
    "    for at, number in string.gmatch(text, '(%d+):(%d+)') do\n" \
    "        at, number = tonumber(at), tonumber(number)\n" \
    "        if (at + 1) * 1000 > now - window and at <= second then\n" \
    "            seconds[#seconds + 1], counts[#counts + 1] = at, number\n" \
    "            sum = sum + number\n" \
    "        end\n" \
    "    end\n" \
    "    if count > 0 then\n" \
    "        if seconds[#seconds] ~= second then seconds[#seconds + 1], counts[#counts + 1] = second, 0 end\n" \
    "        counts[#counts] = counts[#counts] + count\n" \
    "        sum = sum + count\n" \
    "    end\n" \
    "    local parts = {}\n" \
    "    for index = 1, #seconds do parts[index] = string.format('%.0f:%.0f', seconds[index], counts[index]) end\n" \
    "    local left, index = sum, 0\n" \
    "    while limit > 0 and left >= limit and index < #seconds do\n" \
    "        index = index + 1\n" \
    "        left = left - counts[index]\n" \
    "    end\n" \
    "    local wait = index > 0 and math.max(1, (seconds[index] + 1) * 1000 + window - now) or 0\n" \
    "    return table.concat(parts, ' '), sum, wait\n" \
    "end\n"

#define PART_older_secrets \
    "local function older_secrets(text)\n" \
    "    local list, position = {}, 1\n" \
    "    while text and position <= #text do\n" \
    "        local _, head_end, ends, length = string.find(text, '^(%d+):(%d+):', position)\n" \
    "        if not head_end then break end\n" \
    "        list[#list + 1] = { ['until'] = ends, secret = string.sub(text, head_end + 1, head_end + tonumber(length)) }\n" \
    "        position = head_end + tonumber(length) + 1\n" \
    "    end\n" \
    "    return list\n" \
    "end\n" \
    "local function written_older_secrets(list)\n" \
    "    local parts = {}\n" \
    "    for _, each in ipairs(list) do\n" \
    "        parts[#parts + 1] = each['until'] .. ':' .. #each.secret .. ':' .. each.secret\n" \
    "    end\n" \
    "    return table.concat(parts)\n" \
    "end\n"

#define PART_outcome_kinds \
    "local function kinds_of(bytes, position, count)\n" \
    "    local kinds = {}\n" \
    "    while #kinds < count and position + 4 <= #bytes do\n" \
    "        local past = position + 5 + string.byte(bytes, position + 4)\n" \
    "        kinds[#kinds + 1] = string.sub(bytes, position, past - 1)\n" \
    "        position = past\n" \
    "    end\n" \
    "    return kinds, position\n" \
    "end\n"

#define PART_outcomes \
    "local function merge_oldest(kinds, slots)\n" \
    "    local function time(kind) return struct.unpack('<I4', kind) end\n" \
    "    local oldest, next\n" \
    "    for number, kind in ipairs(kinds) do\n" \
    "        for other, candidate in ipairs(kinds) do\n" \
    "            if number ~= other and string.sub(kind, 5) == string.sub(candidate, 5)\n" \
    "                and time(kind) <= time(candidate)\n" \
    "                and (not oldest or time(kind) < time(kinds[oldest])\n" \
    "                    or number == oldest and time(candidate) < time(kinds[next])) then\n" \
    "                oldest, next = number, other\n" \
    "            end\n" \
    "        end\n" \
    "    end\n" \
    "    oldest = oldest or 1\n" \
    "    return string.gsub(slots, string.char(oldest), string.char(next or 0)), oldest\n" \
    "end\n" \
    "local function put_outcomes(page, statuses, first, codes, new, expires_at)\n" \
    "    local added = kinds_of(new, 1, 30)\n" \
    "    local kinds, slots = {}, ''\n" \
    "    local is_dense = not string.find(codes, '%z')\n" \
    "    if first > 0 or not is_dense or #codes < length_of(statuses) then\n" \
    "        local is = read_page(page) or '\\0'\n" \
    "        local position\n" \
    "        kinds, position = kinds_of(is, 2, string.byte(is, 1) or 0)\n" \
    "        slots = string.sub(is, position)\n" \
    "    end\n" \
    "    local numbers, is_same = {}, true\n" \
    "    local free = 0\n" \
    "    for place, kind in ipairs(added) do\n" \
    "        local number\n" \
    "        for other, present in ipairs(kinds) do\n" \
    "            if present == kind then number = other end\n" \
    "        end\n" \
    "        if not number then\n" \
    "            repeat\n" \
    "                free = free + 1\n" \
    "            until free > #kinds or not string.find(slots, string.char(free), 1, true)\n" \
    "            number = free\n" \
    "            if number > 30 then slots, number = merge_oldest(kinds, slots) end\n" \
    "        end\n" \
    "        kinds[number] = kind\n" \
    "        numbers[string.char(place)] = string.char(number)\n" \
    "        is_same = is_same and number == place\n" \
    "    end\n" \
    "    if not is_same then\n" \
    "        if #added == 1 then\n" \
    "            codes = string.gsub(codes, '\\1+', function(run) return string.rep(numbers['\\1'], #run) end)\n" \
    "        else\n" \
    "            codes = string.gsub(codes, '[^%z]', numbers)\n" \
    "        end\n" \
    "    end\n" \
    "    slots = slots .. string.rep('\\0', first + #codes - #slots)\n" \
    "    local parts = { string.sub(slots, 1, first) }\n" \
    "    local position = 1\n" \
    "    while not is_dense do\n" \
    "        local from, to = string.find(codes, '[^%z]+', position)\n" \
    "        if not from then break end\n" \
    "        parts[#parts + 1] = string.sub(slots, first + position, first + from - 1)\n" \
    "        parts[#parts + 1] = string.sub(codes, from, to)\n" \
    "        position = to + 1\n" \
    "    end\n" \
    "    if is_dense then\n" \
    "        parts[2] = codes\n" \
    "        position = #codes + 1\n" \
    "    end\n" \
    "    parts[#parts + 1] = string.sub(slots, first + position)\n" \
    "    put_page(page, string.char(#kinds) .. table.concat(kinds) .. table.concat(parts), expires_at)\n" \
    "end\n"

#define PART_pacing \
    "local function next_turn(pace, now, interval)\n" \
    "    pace = tonumber(pace) or 0\n" \
    "    if pace > now + 3 * interval then pace = now end\n" \
    "    return math.max(now, pace - interval), string.format('%.0f', math.max(pace, now) + interval)\n" \
    "end\n" \
    "local function departure(pace, older, ahead, whole, now, interval)\n" \
    "    local leave = now\n" \
    "    if ahead and ahead.not_before > now then leave = ahead.not_before end\n" \
    "    if older and older.not_before > now then return math.max(leave, older.not_before) end\n" \
    "    if whole then return next_turn(pace, now, interval) end\n" \
    "    return leave\n" \
    "end\n"

#define PART_page_writing \
    "local function rewrite(page, content)\n" \
    "    if #content <= 64 then\n" \
    "        redis.call('HSET', page.counters, page.field, content)\n" \
    "        page.short = content\n" \
    "        return\n" \
    "    end\n" \
    "    redis.call('SET', page.key, content)\n" \
    "    local left = redis.call('PTTL', page.counters)\n" \
    "    if left > 0 then redis.call('PEXPIRE', page.key, left) end\n" \
    "    redis.call('HDEL', page.counters, page.field)\n" \
    "    page.short = false\n" \
    "end\n" \
    "local function may_be_short(page)\n" \
    "    return redis.call('HEXISTS', page.counters, 'f' .. string.sub(page.field, 2)) == 1\n" \
    "end\n" \
    "local function put_page(page, content, expires_at, is_field)\n" \
    "    if page.short then\n" \
    "        rewrite(page, content)\n" \
    "    elseif page.has_key or #content > 64 or not (is_field or may_be_short(page)) then\n" \
    "        redis.call('SET', page.key, content, 'PXAT', expires_at)\n" \
    "    else\n" \
    "        rewrite(page, content)\n" \
    "        redis.call('PEXPIREAT', page.counters, expires_at)\n" \
    "    end\n" \
    "end\n" \
    "local function write_range(page, first, bytes)\n" \
    "    local is = page.short\n" \
    "    if not is then\n" \
    "        redis.call('SETRANGE', page.key, first, bytes)\n" \
    "    elseif bytes ~= '' then\n" \
    "        is = is .. string.rep('\\0', first - #is)\n" \
    "        rewrite(page, string.sub(is, 1, first) .. bytes .. string.sub(is, first + #bytes + 1))\n" \
    "    end\n" \
    "end\n" \
    "local function forget_page(page, at)\n" \
    "    if not page.short then\n" \
    "        redis.call('PEXPIREAT', page.key, at)\n" \
    "    else\n" \
    "        redis.call('HDEL', page.counters, page.field)\n" \
    "        page.short = false\n" \
    "    end\n" \
    "end\n"

#define PART_pages \
    "local function place_of(key)\n" \
    "    local partition, kind, number = string.match(key, '^(.*:)(%l):(%d+)$')\n" \
    "    return partition .. 'c', kind .. number % 64\n" \
    "end\n" \
    "local function open_pages(keys, others)\n" \
    "    local pages, fields, counters = {}, {}, nil\n" \
    "    for place, key in ipairs(keys) do\n" \
    "        counters, fields[place] = place_of(key)\n" \
    "        pages[place] = { key = key, counters = counters, field = fields[place] }\n" \
    "    end\n" \
    "    for place, name in ipairs(others or {}) do fields[#keys + place] = name end\n" \
    "    local values = redis.call('HMGET', counters, unpack(fields))\n" \
    "    for place, page in ipairs(pages) do page.short = values[place] end\n" \
    "    if not others then return pages end\n" \
    "    return pages, { unpack(values, #keys + 1, #fields) }\n" \
    "end\n" \
    "local function read_page(page)\n" \
    "    if page.short then return page.short end\n" \
    "    local content = redis.call('GET', page.key)\n" \
    "    page.has_key = content and true\n" \
    "    return content or nil\n" \
    "end\n" \
    "local function length_of(page)\n" \
    "    if page.short then return #page.short end\n" \
    "    return redis.call('STRLEN', page.key)\n" \
    "end\n" \
    "local function read_range(page, first, last)\n" \
    "    if page.short then return string.sub(page.short, first + 1, last < 0 and last or last + 1) end\n" \
    "    return redis.call('GETRANGE', page.key, first, last)\n" \
    "end\n"

#define PART_partition_jobs \
    "local function kinds_of(channels)\n" \
    "    local kinds, has = {}, {}\n" \
    "    for kind in string.gmatch(channels, '(%d+)=[^,]*') do\n" \
    "        kinds[#kinds + 1] = kind\n" \
    "        has[tonumber(kind)] = true\n" \
    "    end\n" \
    "    return kinds, has\n" \
    "end\n" \
    "local function partitions_of(slots, has_channel)\n" \
    "    local parts, added = {}, {}\n" \
    "    for index = 1, #slots - 7, 8 do\n" \
    "        local first, past = struct.unpack('<I4I4', slots, index)\n" \
    "        for part = math.floor(first / 55552), math.floor((past - 1) / 55552) do\n" \
    "            local kind = math.floor(part / 1024)\n" \
    "            if not added[part] and not has_channel[kind] then parts[#parts + 1] = part end\n" \
    "            added[part] = true\n" \
    "        end\n" \
    "    end\n" \
    "    return parts\n" \
    "end\n" \
    "local function pushes_to(channels, after_start) return (after_start and 2 or 1) * #kinds_of(channels) end\n" \
    "local function slots_with_channel(slots, channels)\n" \
    "    local _, has_channel = kinds_of(channels)\n" \
    "    local number = 0\n" \
    "    for index = 1, #slots - 7, 8 do\n" \
    "        local first, past = struct.unpack('<I4I4', slots, index)\n" \
    "        if has_channel[math.floor(first / (55552 * 1024))] then\n" \
    "            number = number + past - first\n" \
    "        end\n" \
    "    end\n" \
    "    return number\n" \
    "end\n" \
    "local function jobs_of(slots, turn, channels, list_parts, after_start)\n" \
    "    local kinds, has_channel = kinds_of(channels)\n" \
    "    local to_channels, others = {}, {}\n" \
    "    for _, kind in ipairs(kinds) do\n" \
    "        to_channels[#to_channels + 1] = '=' .. kind\n" \
    "        if after_start then to_channels[#to_channels + 1] = '+' .. kind end\n" \
    "    end\n" \
    "    local parts = partitions_of(slots, has_channel)\n" \
    "    local function add(part) others[#others + 1] = string.format('%.0f', part) end\n" \
    "    for _, part in ipairs(parts) do if part > turn then add(part) end end\n" \
    "    for _, part in ipairs(parts) do if part <= turn then add(part) end end\n" \
    "    if #to_channels + #others == 0 then\n" \
    "        for part in string.gmatch(list_parts, '[^,]+') do others[#others + 1] = part end\n" \
    "    end\n" \
    "    return to_channels, others\n" \
    "end\n" \
    "local function add_jobs(stream, parts, broadcast, activity)\n" \
    "    for _, part in ipairs(parts) do add_job(stream, broadcast, activity, part) end\n" \
    "end\n"

#define PART_progress \
    "local function state_of(key, index)\n" \
    "    local pages = redis.call('HGET', key, 'pages') or string.rep('\\048', 64)\n" \
    "    return string.sub(pages, index + 1, index + 1), pages\n" \
    "end\n" \
    "local function set_state(key, pages, index, state)\n" \
    "    redis.call('HSET', key, 'pages', string.sub(pages, 1, index) .. state .. string.sub(pages, index + 2))\n" \
    "end\n" \
    "local function owner_of(key)\n" \
    "    local is = redis.call('HMGET', key, 'owner', 'closed')\n" \
    "    return not is[2] and is[1] or nil\n" \
    "end\n"

#define PART_queueing \
    "local function queue_user(topic, user, at)\n" \
    "    local is = tonumber(redis.call('ZSCORE', topic .. '/q', user))\n" \
    "    local score = tonumber(at)\n" \
    "    if is and is <= score then score = is + 1 end\n" \
    "    redis.call('ZADD', topic .. '/q', string.format('%.0f', score), user)\n" \
    "    return is == nil\n" \
    "end\n"

#define PART_quota_shares \
    "local function quota_time(given)\n" \
    "    if given ~= '' then return tonumber(given) end\n" \
    "    local time = redis.call('TIME')\n" \
    "    return time[1] * 1000000 + time[2]\n" \
    "end\n" \
    "local function recovered(share, at, now)\n" \
    "    share, at = tonumber(share), tonumber(at)\n" \
    "    if not share or not at then return 1 end\n" \
    "    return math.min(1, share + math.max(0, now - at) / 10000000)\n" \
    "end\n" \
    "local function ramped(began, now, ramp_up)\n" \
    "    if now - began >= ramp_up then return 1 end\n" \
    "    return 0.1 + (1 - 0.1) * (now - began) / ramp_up\n" \
    "end\n"

#define PART_rate_window \
    "local function take_request(rate_window, credential, limit, window, now, known, kept_until)\n" \
    "    require_writes(rate_window, 'LTRIM')\n" \
    "    local used = redis.call('RPUSH', rate_window, string.format('%.0f', now))\n" \
    "    if used == 1 or not kept_until or kept_until < now + window or kept_until > now + 120 * window then\n" \
    "        local until_text = string.format('%.0f', now + 60 * window)\n" \
    "        if type(redis.pcall('PEXPIRE', rate_window, 60 * window)) ~= 'number'\n" \
    "            or type(redis.pcall('HSET', credential, 'window_until', until_text)) ~= 'number' then\n" \
    "            redis.call('LTRIM', rate_window, 0, -2)\n" \
    "            redis.call('PEXPIRE', rate_window, 60 * window)\n" \
    "            redis.call('HSET', credential, 'window_until', until_text)\n" \
    "        end\n" \
    "    end\n" \
    "    local oldest = used == 1 and now or known\n" \
    "    if not oldest or oldest <= now - window or used > limit then\n" \
    "        repeat\n" \
    "            local head, past = redis.call('LRANGE', rate_window, 0, 15), 0\n" \
    "            while past < #head and tonumber(head[past + 1]) <= now - window do past = past + 1 end\n" \
    "            oldest = tonumber(head[past + 1])\n" \
    "            if past > 0 then redis.call('LTRIM', rate_window, past, -1) end\n" \
    "            used = used - past\n" \
    "        until oldest\n" \
    "    end\n" \
    "    local is_allowed = used <= limit\n" \
    "    if not is_allowed then\n" \
    "        redis.call('LTRIM', rate_window, 0, -2)\n" \
    "        used = used - 1\n" \
    "    end\n" \
    "    return is_allowed, math.max(0, limit - used), oldest + window\n" \
    "end\n"

#define PART_recent \
    "local function list_recent(list, id, kept_until)\n" \
    "    redis.call('LPUSH', list, id)\n" \
    "    redis.call('LTRIM', list, 0, 10 - 1)\n" \
    "    redis.call('PEXPIREAT', list, kept_until)\n" \
    "end\n" \
    "local function recent_with(recent, activity, id, packed_id, kept_until)\n" \
    "    if not field_of_ended(activity, id) then\n" \
    "        list_recent(activity .. ':recent', id, kept_until)\n" \
    "        return nil\n" \
    "    end\n" \
    "    local entry = string.sub(packed_id, -6)\n" \
    "    recent = recent or ''\n" \
    "    local at = string.find(recent, entry, 1, true)\n" \
    "    if at and at % 6 == 1 then recent = string.sub(recent, 1, at - 1) .. string.sub(recent, at + 6) end\n" \
    "    return entry .. string.sub(recent, 1, 6 * (10 - 1))\n" \
    "end\n"

#define PART_report_times \
    "local function time_of(value, at)\n" \
    "    local a, b, c, d, e, f = string.byte(value, at, at + 5)\n" \
    "    if not f then return 0 end\n" \
    "    return a + 256 * (b + 256 * (c + 256 * (d + 256 * (e + 256 * (f % 64)))))\n" \
    "end\n" \
    "local function is_newer(value, at, reported)\n" \
    "    local stored = time_of(value, at)\n" \
    "    return stored > reported and stored <= redis.call('TIME')[1] * 1000 + 61000\n" \
    "end\n" \
    "local function is_too_old(reported, life)\n" \
    "    return life ~= '' and redis.call('TIME')[1] * 1000 > reported + tonumber(life)\n" \
    "end\n"

#define PART_reserved_schedules \
    "local function split_reserved(text, is_gone)\n" \
    "    local rest, bytes, gone, gone_bytes = {}, 0, 0, 0\n" \
    "    for first = 1, #text - 40 + 1, 40 do\n" \
    "        local schedule = string.sub(text, first, first + 40 - 1)\n" \
    "        local size, since = struct.unpack('<I4I4', schedule, 33)\n" \
    "        if is_gone(string.sub(schedule, 17, 32), since) then\n" \
    "            gone, gone_bytes = gone + 1, gone_bytes + size\n" \
    "        else\n" \
    "            rest[#rest + 1], bytes = schedule, bytes + size\n" \
    "        end\n" \
    "    end\n" \
    "    return table.concat(rest), bytes, gone, gone_bytes\n" \
    "end\n" \
    "local function put_reserved(reserved, ages, user, text, count, bytes)\n" \
    "    if count <= 0 then\n" \
    "        redis.call('DEL', reserved, ages)\n" \
    "        return\n" \
    "    end\n" \
    "    local sums = { 'count', string.format('%.0f', count), 'bytes', string.format('%.0f', bytes) }\n" \
    "    if text == '' then\n" \
    "        redis.call('HSET', reserved, user, '', unpack(sums))\n" \
    "        redis.call('ZREM', ages, user)\n" \
    "        redis.call('HDEL', reserved, user)\n" \
    "    else\n" \
    "        local _, since = struct.unpack('<I4I4', text, 33)\n" \
    "        redis.call('ZADD', ages, string.format('%.0f', since), user)\n" \
    "        redis.call('HSET', reserved, user, text, unpack(sums))\n" \
    "    end\n" \
    "end\n" \
    "local function release_reserved(reserved, ages, user, is_gone)\n" \
    "    local text, count, bytes = unpack(redis.call('HMGET', reserved, user, 'count', 'bytes'))\n" \
    "    if not text or text == '' then\n" \
    "        redis.call('ZREM', ages, user)\n" \
    "        if text then redis.call('HDEL', reserved, user) end\n" \
    "        return\n" \
    "    end\n" \
    "    local rest, _, gone, gone_bytes = split_reserved(text, is_gone)\n" \
    "    if gone == 0 then return end\n" \
    "    put_reserved(reserved, ages, user, rest, (count or 0) - gone, (bytes or 0) - gone_bytes)\n" \
    "end\n"

#define PART_restart_marks \
    "local function remember_restart(activity, order, scope)\n" \
    "    local restarts = activity .. ':restarts'\n" \
    "    redis.call('LPUSH', restarts, struct.pack('<I4', order) .. (scope or ''))\n" \
    "    redis.call('LTRIM', restarts, 0, 128 - 1)\n" \
    "    redis.call('PEXPIRE', restarts, 3600000)\n" \
    "end\n"

#define PART_rights \
    "local function require_rights(key, expiry)\n" \
    "    if redis.acl_check_cmd then\n" \
    "        require_writes(key, 'DEL', 'EXISTS', 'GET', 'HDEL', 'HEXISTS', 'HGET', 'HGETALL', 'HINCRBY', 'HLEN', 'HMGET',\n" \
    "            'HSET', 'HSETNX', 'LPUSH', 'LTRIM', 'PEXPIRE', 'PEXPIREAT', 'PTTL', 'SET', 'UNLINK', 'XADD', 'ZADD',\n" \
    "            'ZCOUNT', 'ZRANGE', 'ZRANGEBYSCORE', 'ZREM', 'ZSCORE')\n" \
    "        if not redis.acl_check_cmd('XGROUP', 'CREATE', key, 'gateways', '0') then\n" \
    "            error({ err = 'NOPERM the script needs XGROUP' })\n" \
    "        end\n" \
    "        return\n" \
    "    end\n" \
    "    redis.call('EXISTS', key)\n" \
    "    redis.call('PTTL', key)\n" \
    "    redis.call('HEXISTS', key, 'f')\n" \
    "    redis.call('HGET', key, 'f')\n" \
    "    redis.call('HLEN', key)\n" \
    "    redis.call('ZCOUNT', key, 0, 0)\n" \
    "    redis.call('GET', key)\n" \
    "    redis.call('SET', key, '', 'XX')\n" \
    "    redis.call('HGETALL', key)\n" \
    "    redis.call('HMGET', key, 'f')\n" \
    "    redis.call('ZRANGE', key, 0, 0)\n" \
    "    redis.call('ZRANGEBYSCORE', key, 0, 0)\n" \
    "    redis.call('ZSCORE', key, 'f')\n" \
    "    redis.call('DEL', key)\n" \
    "    redis.call('UNLINK', key)\n" \
    "    redis.call('PEXPIRE', key, 1000)\n" \
    "    redis.call('PEXPIREAT', key, expiry)\n" \
    "    redis.call('HDEL', key, 'f')\n" \
    "    redis.call('LTRIM', key, 0, 0)\n" \
    "    redis.call('ZREM', key, 'f')\n" \
    "    redis.call('ZADD', key, 'XX', 0, 'f')\n" \
    "    redis.call('XADD', key, 'NOMKSTREAM', '*', 'f', '')\n" \
    "    redis.call('HINCRBY', key, 'f', 1)\n" \
    "    redis.call('DEL', key)\n" \
    "    redis.call('HSET', key, 'f', 1)\n" \
    "    redis.call('DEL', key)\n" \
    "    redis.call('HSETNX', key, 'f', 1)\n" \
    "    redis.call('DEL', key)\n" \
    "    redis.call('LPUSH', key, '')\n" \
    "    redis.call('DEL', key)\n" \
    "    redis.call('XGROUP', 'CREATE', key, 'gateways', '0', 'MKSTREAM')\n" \
    "    redis.call('DEL', key)\n" \
    "end\n"

#define PART_schedules \
    "local function is_waiting(activity, due, activity_id, id, version)\n" \
    "    return redis.call('ZSCORE', due, 's:' .. activity_id .. ':' .. id)\n" \
    "        and (redis.call('HGET', activity .. ':s:' .. id, 'v') or '0') == version\n" \
    "end\n" \
    "local function owner_of(activity, id)\n" \
    "    return redis.call('HGET', activity .. ':s:' .. id, 'owner')\n" \
    "end\n" \
    "local function end_schedule(activity, due, activity_id, id, now, state, field, value)\n" \
    "    local item = 's:' .. activity_id .. ':' .. id\n" \
    "    local key = activity .. ':s:' .. id\n" \
    "    local owner = owner_of(activity, id)\n" \
    "    if owner then\n" \
    "        redis.call('ZREM', activity .. ':us', id)\n" \
    "        redis.call('ZREM', activity .. ':us:' .. owner, id)\n" \
    "        redis.call('DEL', key)\n" \
    "        redis.call('ZREM', due, item)\n" \
    "        return\n" \
    "    end\n" \
    "    redis.call('ZREM', activity .. ':s', id)\n" \
    "    redis.call('HDEL', key, 'before', 'after', 'targets')\n" \
    "    redis.call('HSET', key, 'state', state, 'ended_at', now)\n" \
    "    if field then redis.call('HSET', key, field, value) end\n" \
    "    local ended = activity .. ':p'\n" \
    "    redis.call('ZADD', ended, now, id)\n" \
    "    redis.call('PEXPIRE', ended, redis.call('PTTL', key))\n" \
    "    for _, old in ipairs(redis.call('ZRANGE', ended, 0, -100 - 1)) do\n" \
    "        redis.call('ZREM', ended, old)\n" \
    "        redis.call('DEL', activity .. ':s:' .. old)\n" \
    "    end\n" \
    "    redis.call('ZREM', due, item)\n" \
    "end\n"

#define PART_segment_cleanups \
    "local function retire(retired, partition, part)\n" \
    "    retired[#retired + 1] = struct.pack('<I4', tonumber(partition)) .. part\n" \
    "end\n" \
    "local function note(cleanups, writer, now, retired)\n" \
    "    if #retired == 0 then return redis.call('HDEL', cleanups, writer) end\n" \
    "    redis.call('HSET', cleanups, writer, 'x' .. struct.pack('<i8', tonumber(now)) .. table.concat(retired))\n" \
    "end\n"

#define PART_shown \
    "local function is_unchanged(digest, shown)\n" \
    "    if digest == '' or not shown or string.sub(shown, 1, 16) ~= string.sub(digest, 1, 16) then return false end\n" \
    "    local alert = string.sub(digest, 17)\n" \
    "    return alert == '' or alert == string.sub(shown, 17)\n" \
    "end\n" \
    "local function note_shown(changes, activity, digest, shown, is_for_all, order)\n" \
    "    if is_for_all and digest ~= '' then\n" \
    "        for _, each in ipairs({ 'shown', digest, 'shown_order', order }) do changes[#changes + 1] = each end\n" \
    "    elseif shown and string.sub(shown, 1, 16) ~= string.sub(digest, 1, 16) then\n" \
    "        redis.call('HDEL', activity, 'shown', 'shown_order')\n" \
    "    end\n" \
    "end\n"

#define PART_slot_ranges \
    "local function confirm_slots(activity, first, past)\n" \
    "    local ranges = redis.call('HGET', activity, 'slots') or ''\n" \
    "    local before, behind = ranges .. struct.pack('<I4', first), ''\n" \
    "    for position = 5, #ranges - 3, 8 do\n" \
    "        if struct.unpack('<I4', ranges, position) == first then\n" \
    "            before, behind = string.sub(ranges, 1, position - 1), string.sub(ranges, position + 4)\n" \
    "            break\n" \
    "        end\n" \
    "    end\n" \
    "    redis.call('HSET', activity, 'slots', before .. struct.pack('<I4', past) .. behind)\n" \
    "end\n"

#define PART_start_notes \
    "local function is_started_since(start_counts, slot, order)\n" \
    "    local newest = tonumber(string.match(redis.call('HGET', start_counts, slot) or '', ':%d+:(%d+)$'))\n" \
    "    return newest ~= nil and newest >= tonumber(order)\n" \
    "end\n" \
    "local function without_later_starts(bytes, start_counts, first_slot, order)\n" \
    "    return (string.gsub(bytes, '()[^%z]', function(place)\n" \
    "        local slot = string.format('%.0f', first_slot + place - 1)\n" \
    "        return is_started_since(start_counts, slot, order) and '\\0' or nil\n" \
    "    end))\n" \
    "end\n"

#define PART_superseding \
    "local function find_older(activity, open_broadcasts, order, now)\n" \
    "    local value = redis.call('HGET', open_broadcasts, order)\n" \
    "    if not value then return nil end\n" \
    "    local id, kind = string.match(value, '^(.-):(.-):')\n" \
    "    local is = redis.call('HMGET', activity .. ':b:' .. id, 'state', 'not_before', 'created_at', 'superseded',\n" \
    "        'timestamp')\n" \
    "    if not is[1] then\n" \
    "        redis.call('HDEL', open_broadcasts, order)\n" \
    "        return nil\n" \
    "    end\n" \
    "    local not_before = departure_of(is[2], is[3], now)\n" \
    "    return {\n" \
    "        order = order, id = id, kind = kind, timestamp = tonumber(is[5]), not_before = not_before,\n" \
    "        is_queued = is[1] == 'queued', waits = is[1] == 'queued' and not_before > now,\n" \
    "        is_superseded = is[4] and tonumber(is[4]) <= now or false,\n" \
    "    }\n" \
    "end\n" \
    "local function find_wholes(activity, open_broadcasts, now)\n" \
    "    local found = {}\n" \
    "    for _, order in ipairs(turns_below(activity, 1, 4294967295)) do\n" \
    "        local older = find_older(activity, open_broadcasts, order, now)\n" \
    "        if older then found[#found + 1] = older else leave_turns(activity, order) end\n" \
    "    end\n" \
    "    return found\n" \
    "end\n" \
    "local function newest_queued(found)\n" \
    "    for index = #found, 1, -1 do\n" \
    "        local older = found[index]\n" \
    "        if older.kind == 'update' and older.is_queued and not older.is_superseded then return older end\n" \
    "    end\n" \
    "    return nil\n" \
    "end\n" \
    "local function find_covered(activity, open_broadcasts, slots, now)\n" \
    "    local entries, tally, length = read_entries(activity, slots), {}, {}\n" \
    "    for index = 1, #slots do\n" \
    "        local text = entries[index] or ''\n" \
    "        for at = 1, #text - 5, 6 do\n" \
    "            local order, count = struct.unpack('<I4I2', text, at)\n" \
    "            if count > 0 and count <= #slots then\n" \
    "                tally[order] = (tally[order] or 0) + 1\n" \
    "                length[order] = count\n" \
    "            end\n" \
    "        end\n" \
    "    end\n" \
    "    local orders, found = {}, {}\n" \
    "    for order, count in pairs(tally) do if count == length[order] then orders[#orders + 1] = order end end\n" \
    "    table.sort(orders)\n" \
    "    local covered = { slots = slots, entries = entries, found = found, left = {} }\n" \
    "    for _, order in ipairs(orders) do\n" \
    "        local older = find_older(activity, open_broadcasts, string.format('%.0f', order), now)\n" \
    "        if older then\n" \
    "            older.is_same = length[order] == #slots\n" \
    "            found[#found + 1] = older\n" \
    "        end\n" \
    "        covered.left[order] = not older\n" \
    "    end\n" \
    "    return covered\n" \
    "end\n" \
    "local function find_coverable(activity, open_broadcasts, scope, now)\n" \
    "    local covered = { found = {} }\n" \
    "    for _, class in ipairs({ 5, 4, 6 }) do\n" \
    "        local first, past = turn_of(class, 0), '(' .. turn_of(class + 1, 0)\n" \
    "        local from = math.max(0, redis.call('ZCOUNT', activity .. ':turns', first, past) - 64)\n" \
    "        local members = redis.call('ZRANGEBYSCORE', activity .. ':turns', first, past, 'LIMIT', from, -1)\n" \
    "        for _, member in ipairs(members) do\n" \
    "            local older = find_older(activity, open_broadcasts, string.sub(member, 2), now)\n" \
    "            if older then\n" \
    "                older.is_same = older.waits and class ~= 5\n" \
    "                    and redis.call('HGET', activity .. ':b:' .. older.id, 'scope') == scope\n" \
    "                covered.found[#covered.found + 1] = older\n" \
    "            else\n" \
    "                redis.call('ZREM', activity .. ':turns', member)\n" \
    "            end\n" \
    "        end\n" \
    "    end\n" \
    "    return covered\n" \
    "end\n" \
    "local function newest_same(covered)\n" \
    "    local newest = nil\n" \
    "    for _, older in ipairs(covered.found) do\n" \
    "        local is_newer = not newest or tonumber(older.order) > tonumber(newest.order)\n" \
    "        if older.is_same and older.is_queued and not older.is_superseded and is_newer then newest = older end\n" \
    "    end\n" \
    "    return newest\n" \
    "end\n" \
    "local function mark_superseded(activity, older, leave, now)\n" \
    "    if leave <= now or older.waits then\n" \
    "        redis.call('HSET', activity .. ':b:' .. older.id, 'superseded', '1')\n" \
    "        return true\n" \
    "    end\n" \
    "    redis.call('HSETNX', activity .. ':b:' .. older.id, 'superseded', string.format('%.0f', leave))\n" \
    "    return false\n" \
    "end\n" \
    "local function supersede_lists(activity, open_broadcasts, leave, now, superseded)\n" \
    "    local last = leave <= now and 6 or 5\n" \
    "    local members = redis.call('ZRANGEBYSCORE', activity .. ':turns', turn_of(4, 0),\n" \
    "        '(' .. turn_of(last + 1, 0))\n" \
    "    for _, member in ipairs(members) do\n" \
    "        local order = string.sub(member, 2)\n" \
    "        local older = find_older(activity, open_broadcasts, order, now)\n" \
    "        if older and not older.is_superseded and not mark_superseded(activity, older, leave, now) then\n" \
    "            redis.call('ZADD', activity .. ':turns', turn_of(6, order), member)\n" \
    "        else\n" \
    "            if older and not older.is_superseded then superseded[#superseded + 1] = older.id end\n" \
    "            redis.call('ZREM', activity .. ':turns', member)\n" \
    "        end\n" \
    "    end\n" \
    "end\n" \
    "local function supersede_all(activity, open_broadcasts)\n" \
    "    local open, superseded = redis.call('HGETALL', open_broadcasts), {}\n" \
    "    for index = 2, #open, 2 do\n" \
    "        local id = string.match(open[index], '^(.-):')\n" \
    "        if redis.call('EXISTS', activity .. ':b:' .. id) == 1 then\n" \
    "            redis.call('HSET', activity .. ':b:' .. id, 'superseded', '1')\n" \
    "            superseded[#superseded + 1] = id\n" \
    "        else\n" \
    "            redis.call('HDEL', open_broadcasts, open[index - 1])\n" \
    "        end\n" \
    "    end\n" \
    "    return superseded\n" \
    "end\n" \
    "local function supersede(activity, open_broadcasts, wholes, leave, now)\n" \
    "    local superseded = {}\n" \
    "    for _, older in ipairs(wholes) do\n" \
    "        if older.kind == 'update' and not older.is_superseded and mark_superseded(activity, older, leave, now) then\n" \
    "            superseded[#superseded + 1] = older.id\n" \
    "            if older.is_queued then leave_turns(activity, older.order) end\n" \
    "        end\n" \
    "    end\n" \
    "    supersede_lists(activity, open_broadcasts, leave, now, superseded)\n" \
    "    return superseded\n" \
    "end\n" \
    "local function supersede_covered(activity, covered, older, leave, now)\n" \
    "    local superseded, lists = {}, {}\n" \
    "    for _, each in ipairs(covered.found) do\n" \
    "        local is_replaced = older and older.id == each.id and older.waits\n" \
    "        if each.is_superseded then\n" \
    "            redis.call('ZREM', activity .. ':turns', 'u' .. each.order)\n" \
    "        elseif not covered.slots and not is_replaced then\n" \
    "            lists[#lists + 1] = each.id\n" \
    "        else\n" \
    "            local record = activity .. ':b:' .. each.id\n" \
    "            if leave > now and not is_replaced then\n" \
    "                redis.call('HSETNX', record, 'superseded', string.format('%.0f', leave))\n" \
    "            else\n" \
    "                redis.call('HSET', record, 'superseded', '1')\n" \
    "                superseded[#superseded + 1] = each.id\n" \
    "                redis.call('ZREM', activity .. ':turns', 'u' .. each.order)\n" \
    "                if each.is_queued and covered.slots then\n" \
    "                    redis.call('ZREM', activity .. ':turns', each.order)\n" \
    "                    covered.left[tonumber(each.order)] = true\n" \
    "                end\n" \
    "            end\n" \
    "        end\n" \
    "    end\n" \
    "    return superseded, lists\n" \
    "end\n" \
    "local function remaining_entries(covered)\n" \
    "    local remaining = {}\n" \
    "    for index = 1, #covered.slots do\n" \
    "        local text, kept = covered.entries[index] or '', {}\n" \
    "        for at = 1, #text - 5, 6 do\n" \
    "            if not covered.left[struct.unpack('<I4', text, at)] then kept[#kept + 1] = string.sub(text, at, at + 5) end\n" \
    "        end\n" \
    "        remaining[index] = table.concat(kept)\n" \
    "    end\n" \
    "    return remaining\n" \
    "end\n"

#define PART_time_to_sync \
    "local function since_start(starts, restart, start_counts, slot, now)\n" \
    "    local at = 6 * (math.floor(slot / 868) % 64)\n" \
    "    local begun = starts and #starts >= at + 6 and struct.unpack('<I6', starts, at + 1) or 0\n" \
    "    if restart then\n" \
    "        begun = tonumber(string.match(redis.call('HGET', start_counts, slot) or '', '^%d+:(%d+)')) or begun\n" \
    "    end\n" \
    "    return begun > 0 and math.max(0, now - begun) or 0\n" \
    "end\n" \
    "local function count_sync(counters, waited, expires_at)\n" \
    "    local bucket = 0\n" \
    "    for _, bound in ipairs({250,500,1000,2000,3000,5000,7500,10000,15000,20000,30000,45000,60000,90000,120000,180000,300000,450000,600000,900000,1800000,3600000,7200000}) do\n" \
    "        if waited <= bound then break end\n" \
    "        bucket = bucket + 1\n" \
    "    end\n" \
    "    redis.call('HINCRBY', counters, 'y' .. bucket, 1)\n" \
    "    redis.call('PEXPIREAT', counters, expires_at)\n" \
    "end\n"

#define PART_timestamps \
    "local function fields_of_timestamp(listed)\n" \
    "    return { '*', 'ends', unpack(listed or {}) }\n" \
    "end\n" \
    "local function used_timestamp(noted, last, now)\n" \
    "    local near = math.floor(now / 1000) + 2\n" \
    "    if not noted or noted > near or last > near + 60000 / 1000 then return last end\n" \
    "    return math.max(noted, math.min(last, near))\n" \
    "end\n" \
    "local function clock_step(used, now)\n" \
    "    return used and math.max(0, used - math.floor(now / 1000) - 2) or 0\n" \
    "end\n" \
    "local function note_older_timestamp(activity, field, old, timestamp, last)\n" \
    "    if timestamp < last then\n" \
    "        redis.call('HSET', activity, field, string.format('%.0f', timestamp))\n" \
    "    elseif old then\n" \
    "        redis.call('HDEL', activity, field)\n" \
    "    end\n" \
    "end\n" \
    "local function forget_timestamps(activity, newest, last)\n" \
    "    for second = newest + 1, math.min(last, newest + 60000 / 1000) do\n" \
    "        redis.call('DEL', activity .. ':t:' .. string.format('%.0f', second))\n" \
    "    end\n" \
    "end\n" \
    "local function list_timestamp(activity, first, last, listed)\n" \
    "    if not listed or #listed == 0 then return math.max(first, last + 1) end\n" \
    "    if last - first > 60000 / 1000 then return last + 1 end\n" \
    "    local slots = fields_of_timestamp(listed)\n" \
    "    for second = last + 1, first, -1 do\n" \
    "        local key = activity .. ':t:' .. string.format('%.0f', second)\n" \
    "        if redis.call('EXISTS', key) == 1 then\n" \
    "            local noted = redis.call('HMGET', key, unpack(slots))\n" \
    "            for index = 1, #slots do if noted[index] then return second + 1 end end\n" \
    "        end\n" \
    "    end\n" \
    "    return first\n" \
    "end\n" \
    "local function note_timestamp(activity, now, timestamp, listed, is_end)\n" \
    "    local key, fields = activity .. ':t:' .. string.format('%.0f', timestamp), {}\n" \
    "    local slots = fields_of_timestamp(listed)\n" \
    "    if #slots == 2 then slots[3] = is_end and 'ends' or '*' end\n" \
    "    for index = 3, #slots do\n" \
    "        fields[#fields + 1] = slots[index]\n" \
    "        fields[#fields + 1] = '1'\n" \
    "    end\n" \
    "    redis.call('HSET', key, unpack(fields))\n" \
    "    redis.call('PEXPIRE', key, string.format('%.0f', math.max(0, timestamp * 1000 - now) + 5000))\n" \
    "end\n" \
    "local function timestamp_for_all(activity, last, used, older, now, leave)\n" \
    "    local base = used or last\n" \
    "    if not used and older and older.timestamp == last and (older.not_before > now or leave <= now) then\n" \
    "        base = last - 1\n" \
    "    end\n" \
    "    local timestamp = math.max(math.floor(leave / 1000), base + 1)\n" \
    "    if used then forget_timestamps(activity, timestamp, last) end\n" \
    "    return timestamp\n" \
    "end\n" \
    "local function timestamp_for_list(activity, last, whole_last, older, now, leave, listed)\n" \
    "    local first = math.max(math.floor(leave / 1000), whole_last + 1)\n" \
    "    local timestamp = list_timestamp(activity, first, last, listed)\n" \
    "    if older and older.not_before > now and older.timestamp >= first and timestamp == older.timestamp + 1 then\n" \
    "        return older.timestamp\n" \
    "    end\n" \
    "    return timestamp\n" \
    "end\n" \
    "local function timestamp_for_joining(last, used, now)\n" \
    "    return math.max(math.floor(now / 1000), used or last)\n" \
    "end\n"

#define PART_token_claims \
    "local function claimed(is, owner, time)\n" \
    "    local is_older = is_newer(is, 1, time_of(time, 1))\n" \
    "    local formers, at, is_owner = {}, 7, false\n" \
    "    while at <= #is do\n" \
    "        local length = string.byte(is, at)\n" \
    "        local one = string.sub(is, at + 1, at + length)\n" \
    "        if at == 7 then is_owner = one == owner end\n" \
    "        if one ~= owner and not (at == 7 and is_owner) then formers[#formers + 1] = one end\n" \
    "        at = at + 1 + length\n" \
    "    end\n" \
    "    if is_older then\n" \
    "        if not is_owner then return nil end\n" \
    "        return formers\n" \
    "    end\n" \
    "    local entry = { time, string.char(#owner), owner }\n" \
    "    for _, former in ipairs(formers) do\n" \
    "        if #entry >= 2 * 8 + 3 then break end\n" \
    "        entry[#entry + 1] = string.char(#former)\n" \
    "        entry[#entry + 1] = former\n" \
    "    end\n" \
    "    return formers, table.concat(entry)\n" \
    "end\n"

#define PART_topics \
    "local function confirm_placed(topic, activity, users)\n" \
    "    local placing = redis.call('HGET', topic, 'placing') or ''\n" \
    "    local count = 0\n" \
    "    for at = 1, #placing - 7, 8 do\n" \
    "        local first, number = struct.unpack('<I4I4', placing, at)\n" \
    "        confirm_slots(activity, first, first + number)\n" \
    "        count = count + number\n" \
    "    end\n" \
    "    redis.call('HDEL', topic, 'placing', 'leaving')\n" \
    "    if count > 0 then redis.call('HINCRBY', activity, 'devices', count) end\n" \
    "    redis.call('HINCRBY', activity, 'users', users)\n" \
    "    return redis.call('HGET', activity, 'slots')\n" \
    "end\n" \
    "local function note_topic(topic, activity_id, version, is_first_start, is_end)\n" \
    "    if version ~= '' then redis.call('HSET', topic, 'sent', version) end\n" \
    "    if is_first_start then\n" \
    "        redis.call('HSET', topic, 'activity', activity_id, 'activity_life', redis.call('HGET', topic, 'life'))\n" \
    "        redis.call('HDEL', topic, 'candidate', 'over', 'placing', 'leaving')\n" \
    "    elseif is_end then\n" \
    "        redis.call('HSET', topic, 'over', '1')\n" \
    "        redis.call('DEL', topic .. '/q', topic .. '/h')\n" \
    "    end\n" \
    "end\n"

#define PART_turns \
    "local function turn_of(class, order) return string.format('%.0f', class * 4294967296 + order) end\n" \
    "local function slots_of_scope(scope)\n" \
    "    local slots = {}\n" \
    "    if not scope then return nil end\n" \
    "    if #scope % 8 == 1 and string.byte(scope) == 1 then\n" \
    "        for index = 2, #scope - 7, 8 do\n" \
    "            local first, past = struct.unpack('<I4I4', scope, index)\n" \
    "            if #slots + past - first > 512 then return nil end\n" \
    "            for slot = first, past - 1 do slots[#slots + 1] = string.format('%.0f', slot) end\n" \
    "        end\n" \
    "        return slots\n" \
    "    end\n" \
    "    if #scope > 4 * 512 then return nil end\n" \
    "    for index = 1, #scope - 3, 4 do slots[#slots + 1] = string.format('%.0f', (struct.unpack('<I4', scope, index))) end\n" \
    "    return slots\n" \
    "end\n" \
    "local function entries_without(entries, order)\n" \
    "    local packed, from = struct.pack('<I4', order), 1\n" \
    "    while true do\n" \
    "        local at = string.find(entries, packed, from, true)\n" \
    "        if not at then return entries end\n" \
    "        if at % 6 == 1 then return string.sub(entries, 1, at - 1) .. string.sub(entries, at + 6) end\n" \
    "        from = at + 1\n" \
    "    end\n" \
    "end\n" \
    "local function write_entries(activity, slots, before, after)\n" \
    "    local kept, gone = {}, {}\n" \
    "    for index, slot in ipairs(slots) do\n" \
    "        if after[index] ~= before[index] then\n" \
    "            if after[index] == '' then\n" \
    "                gone[#gone + 1] = slot\n" \
    "            else\n" \
    "                kept[#kept + 1] = slot\n" \
    "                kept[#kept + 1] = after[index]\n" \
    "            end\n" \
    "        end\n" \
    "    end\n" \
    "    if #gone > 0 then redis.call('HDEL', activity .. ':turns:slots', unpack(gone)) end\n" \
    "    if #kept > 0 then redis.call('HSET', activity .. ':turns:slots', unpack(kept)) end\n" \
    "end\n" \
    "local function read_entries(activity, slots)\n" \
    "    return #slots > 0 and redis.call('HMGET', activity .. ':turns:slots', unpack(slots)) or {}\n" \
    "end\n" \
    "local function leave_turns(activity, order, slots)\n" \
    "    redis.call('ZREM', activity .. ':turns', order, 'u' .. order)\n" \
    "    if not slots then return end\n" \
    "    local before, after = read_entries(activity, slots), {}\n" \
    "    for index = 1, #slots do after[index] = before[index] and entries_without(before[index], order) end\n" \
    "    write_entries(activity, slots, before, after)\n" \
    "end\n" \
    "local function join_turns(activity, order, kind, whole, slots, expires_at, entries, remaining)\n" \
    "    local class = kind == 'start' and 0 or whole and 1 or slots and 3 or 2\n" \
    "    local members, is_list = { turn_of(class, order), order }, class == 3 or class == 2\n" \
    "    if is_list and kind == 'update' then\n" \
    "        members[3] = turn_of(slots and 5 or 4, order)\n" \
    "        members[4] = 'u' .. string.format('%.0f', order)\n" \
    "    end\n" \
    "    redis.call('ZADD', activity .. ':turns', unpack(members))\n" \
    "    redis.call('PEXPIREAT', activity .. ':turns', expires_at)\n" \
    "    if class ~= 3 or #slots == 0 then return end\n" \
    "    local entry, after = struct.pack('<I4I2', order, kind == 'update' and #slots or 0), {}\n" \
    "    entries = entries or read_entries(activity, slots)\n" \
    "    for index = 1, #slots do after[index] = ((remaining or entries)[index] or '') .. entry end\n" \
    "    write_entries(activity, slots, entries, after)\n" \
    "    redis.call('PEXPIREAT', activity .. ':turns:slots', expires_at)\n" \
    "end\n" \
    "local function is_spent(kind, state, superseded, now)\n" \
    "    return kind == 'update' and state == 'queued' and superseded and tonumber(superseded) <= now\n" \
    "end\n" \
    "local function complete_turns(activity, open_broadcasts, order, indexed, now)\n" \
    "    if not order or order == indexed then return end\n" \
    "    redis.call('DEL', activity .. ':turns', activity .. ':turns:slots')\n" \
    "    local flat, open = redis.call('HGETALL', open_broadcasts), {}\n" \
    "    for index = 1, #flat, 2 do open[#open + 1] = { tonumber(flat[index]), flat[index + 1] } end\n" \
    "    table.sort(open, function(one, other) return one[1] < other[1] end)\n" \
    "    local left = redis.call('PTTL', open_broadcasts)\n" \
    "    if left < 0 then left = redis.call('PTTL', activity) end\n" \
    "    local expires_at = string.format('%.0f', now + math.max(0, left))\n" \
    "    for _, each in ipairs(open) do\n" \
    "        local id, kind, extent = string.match(each[2], '^(.-):(.-):(.-)$')\n" \
    "        local is = redis.call('HMGET', activity .. ':b:' .. id, 'state', 'superseded', 'scope')\n" \
    "        if is[1] and not is_spent(kind, is[1], is[2], now) then\n" \
    "            local whole = extent == 'whole'\n" \
    "            join_turns(activity, each[1], kind, whole, not whole and slots_of_scope(is[3]) or nil, expires_at)\n" \
    "        end\n" \
    "    end\n" \
    "    redis.call('HSET', activity, 'indexed', order)\n" \
    "end\n" \
    "local function turns_below(activity, class, order)\n" \
    "    return redis.call('ZRANGEBYSCORE', activity .. ':turns', turn_of(class, 0), '(' .. turn_of(class, order))\n" \
    "end\n" \
    "local function first_turn(activity, class, order, holds_up)\n" \
    "    local from = 0\n" \
    "    while true do\n" \
    "        local next = redis.call('ZRANGEBYSCORE', activity .. ':turns', turn_of(class, 0), '(' .. turn_of(class, order),\n" \
    "            'LIMIT', from, 1)[1]\n" \
    "        local holds = next and holds_up(next)\n" \
    "        if not next or holds then return next end\n" \
    "        if holds == false then from = from + 1 end\n" \
    "    end\n" \
    "end\n" \
    "local function has_open_start(activity, open_broadcasts)\n" \
    "    return first_turn(activity, 0, 4294967295, function(order)\n" \
    "        if redis.call('HEXISTS', open_broadcasts, order) == 1 then return true end\n" \
    "        leave_turns(activity, order)\n" \
    "        return nil\n" \
    "    end) ~= nil\n" \
    "end\n"

#define PART_unfinished \
    "local function count_for(owners, counts, member, tenant)\n" \
    "    if redis.call('HSETNX', owners, member, tenant) == 0 then return end\n" \
    "    local count = redis.pcall('HINCRBY', counts, tenant, 1)\n" \
    "    if type(count) == 'number' then return end\n" \
    "    redis.call('HDEL', owners, member)\n" \
    "    redis.call('HINCRBY', counts, tenant, 1)\n" \
    "end\n" \
    "local function take_off(owners, counts, member)\n" \
    "    local tenant = redis.call('HGET', owners, member)\n" \
    "    if not tenant then return end\n" \
    "    local left = redis.call('HINCRBY', counts, tenant, -1)\n" \
    "    local gone = redis.pcall('HDEL', owners, member)\n" \
    "    if type(gone) ~= 'number' then\n" \
    "        redis.call('HINCRBY', counts, tenant, 1)\n" \
    "        redis.call('HDEL', owners, member)\n" \
    "    end\n" \
    "    if left <= 0 then redis.call('HDEL', counts, tenant) end\n" \
    "end\n"

#define PART_untold \
    "local function keep_untold(key, name, value, expires_at)\n" \
    "    if string.sub(name, 1, 2) ~= 'e:' then return false end\n" \
    "    redis.call('HSET', key, name, value)\n" \
    "    redis.call('PEXPIREAT', key, expires_at)\n" \
    "    return true\n" \
    "end\n"

#define PART_wish_writing \
    "local function put_wish(topic, key, user, is, wish, reported)\n" \
    "    redis.call('HSET', key, user, wish .. struct.pack('<I6', reported))\n" \
    "    local names = { ['1'] = 'following', ['0'] = 'unfollowed' }\n" \
    "    if is then redis.call('HINCRBY', topic, names[string.sub(is, 1, 1)], -1) end\n" \
    "    redis.call('HINCRBY', topic, names[wish], 1)\n" \
    "    local level = string.match(key, '/w(%d):') or '0'\n" \
    "    if level > (redis.call('HGET', topic, 'levels') or '') then redis.call('HSET', topic, 'levels', level) end\n" \
    "end\n"

#define PART_wishes \
    "local function wish_keys(topic, user)\n" \
    "    local hash = tonumber(string.sub(redis.sha1hex(user), 1, 6), 16)\n" \
    "    return { topic .. '/w', topic .. '/w1:' .. hash % 128, topic .. '/w2:' .. hash % 16384 }\n" \
    "end\n" \
    "local function wish_of(topic, user)\n" \
    "    local keys = wish_keys(topic, user)\n" \
    "    for _, key in ipairs(keys) do\n" \
    "        local is = redis.call('HGET', key, user)\n" \
    "        if is then return key, is end\n" \
    "    end\n" \
    "    local counts = redis.call('HMGET', topic, 'following', 'unfollowed')\n" \
    "    local count = (tonumber(counts[1]) or 0) + (tonumber(counts[2]) or 0)\n" \
    "    return keys[count < 100 and 1 or count < 12800 and 2 or 3], false\n" \
    "end\n"

#define PART_write_rights \
    "local function require_writes(key, ...)\n" \
    "    for _, name in ipairs(redis.acl_check_cmd and { ... } or {}) do\n" \
    "        if not redis.acl_check_cmd(name, key) then error({ err = 'NOPERM the script needs ' .. name }) end\n" \
    "    end\n" \
    "end\n"

const char *store_script_claim_external_activity(void) {
    return
        PART_write_rights
        "local external = KEYS[1]\n"
        "local id, claims, now, ends_at, expires_at, patience = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "local is = redis.call('HMGET', external, 'activity', 'created_at', 'ends_at', 'proposed')\n"
        "if is[1] and is[2] and tonumber(is[3] or '0') > tonumber(now) then return { 2, is[1], is[2], is[3] } end\n"
        "if id == '' then return 0 end\n"
        "if claims == '' then\n"
        "    if is[4] then return { 1, is[4] } end\n"
        "    require_writes(external, 'PEXPIRE')\n"
        "    redis.call('HSET', external, 'proposed', id)\n"
        "    if redis.call('PTTL', external) < 0 then redis.call('PEXPIRE', external, patience) end\n"
        "    return { 1, id }\n"
        "end\n"
        "require_writes(external, 'HDEL', 'PEXPIREAT')\n"
        "redis.call('HSET', external, 'activity', id, 'created_at', now, 'ends_at', ends_at)\n"
        "redis.call('HDEL', external, 'proposed')\n"
        "redis.call('PEXPIREAT', external, expires_at)\n"
        "return { 2, id, now, ends_at }\n";
}

const char *store_script_confirm_removal(void) {
    return
        PART_write_rights
        "local activity, roster_lock, leaving = KEYS[1], KEYS[2], KEYS[3]\n"
        "local devices, users, token, kept_until, members_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], 5\n"
        "if redis.call('GET', roster_lock) ~= token then return 0 end\n"
        "if redis.call('HGET', activity, 'state') ~= '0' then return 0 end\n"
        "require_writes(activity, 'HINCRBY', 'HSET', 'PEXPIREAT')\n"
        "redis.call('DEL', leaving)\n"
        "for position = members_at, #ARGV, 2 do redis.call('HSET', leaving, ARGV[position], ARGV[position + 1]) end\n"
        "redis.call('PEXPIREAT', leaving, kept_until)\n"
        "redis.call('HINCRBY', activity, 'devices', devices)\n"
        "redis.call('HINCRBY', activity, 'users', users)\n"
        "return 1\n";
}

const char *store_script_confirm_slots(void) {
    return
        PART_slot_ranges
        PART_write_rights
        "local activity, roster_lock = KEYS[1], KEYS[2]\n"
        "local devices, users, token, ranges_at = ARGV[1], ARGV[2], ARGV[3], 4\n"
        "if redis.call('GET', roster_lock) ~= token then return 0 end\n"
        "if redis.call('HGET', activity, 'state') ~= '0' then return 0 end\n"
        "require_writes(activity, 'HINCRBY')\n"
        "for position = ranges_at, #ARGV, 2 do\n"
        "    confirm_slots(activity, tonumber(ARGV[position]), tonumber(ARGV[position + 1]))\n"
        "end\n"
        "redis.call('HINCRBY', activity, 'devices', devices)\n"
        "redis.call('HINCRBY', activity, 'users', users)\n"
        "return 1\n";
}

const char *store_script_list_activity(void) {
    return
        PART_activity_index
        "local index, parts = KEYS[1], KEYS[2]\n"
        "local entry, expires_at = ARGV[1], ARGV[2]\n"
        "local made_at = made_at_of(entry)\n"
        "local beginning = beginning_at(parts, made_at)\n"
        "local part = part_from(index, beginning)\n"
        "if redis.call('ZCARD', part) >= 100 and beginning == redis.call('ZREVRANGE', parts, 0, 0)[1] then\n"
        "    local next_beginning = made_at_of(redis.call('ZREVRANGE', part, 0, 0)[1]) + 1\n"
        "    if next_beginning <= made_at then\n"
        "        local spelled = string.format('%.0f', next_beginning)\n"
        "        redis.call('ZADD', parts, 0, spelled)\n"
        "        redis.call('PEXPIREAT', parts, expires_at)\n"
        "        part = part_from(index, spelled)\n"
        "    end\n"
        "end\n"
        "redis.call('ZADD', part, 0, entry)\n"
        "redis.call('PEXPIREAT', part, expires_at)\n"
        "return 1\n";
}

const char *store_script_make_activity(void) {
    return
        PART_write_rights
        "local activity, due = KEYS[1], KEYS[2]\n"
        "local expires_at, item, due_at, fields_at = ARGV[1], ARGV[2], ARGV[3], 4\n"
        "if redis.call('HEXISTS', activity, 'reserved') == 1 then return 0 end\n"
        "require_writes(activity, 'PEXPIREAT')\n"
        "redis.call('ZADD', due, due_at, item)\n"
        "redis.call('HSET', activity, unpack(ARGV, fields_at))\n"
        "redis.call('PEXPIREAT', activity, expires_at)\n"
        "return 1\n";
}

const char *store_script_reserve_slots(void) {
    return
        "local activity = KEYS[1]\n"
        "local most, bands_at = ARGV[1], 2\n"
        "if redis.call('HGET', activity, 'state') ~= '0' then return false end\n"
        "local sizes = {}\n"
        "for position = bands_at, #ARGV, 2 do\n"
        "    local size = tonumber(redis.call('HGET', activity, ARGV[position])) or 0\n"
        "    if size + ARGV[position + 1] > tonumber(most) then return false end\n"
        "    sizes[#sizes + 1] = size\n"
        "end\n"
        "for position = bands_at, #ARGV, 2 do redis.call('HINCRBY', activity, ARGV[position], ARGV[position + 1]) end\n"
        "return sizes\n";
}

const char *store_script_unlist_activities(void) {
    return
        PART_activity_index
        "local index, parts = KEYS[1], KEYS[2]\n"
        "local entries_at = 1\n"
        "for position = entries_at, #ARGV do\n"
        "    local entry = ARGV[position]\n"
        "    local beginning = beginning_at(parts, made_at_of(entry))\n"
        "    local part = part_from(index, beginning)\n"
        "    redis.call('ZREM', part, entry)\n"
        "    if beginning and redis.call('EXISTS', part) == 0 then redis.call('ZREM', parts, beginning) end\n"
        "end\n"
        "return 1\n";
}

const char *store_script_amend_broadcast(void) {
    return
        PART_ended_broadcasts
        "local broadcast = KEYS[1]\n"
        "local cohort, growth_at = ARGV[1], 2\n"
        "local record = redis.call('HMGET', broadcast, 'state', 'accepted', 'failed', 'cohorts')\n"
        "local state, ended, field, parts = record[1], nil, nil, nil\n"
        "if state == 'queued' or state == 'running' then return -1 end\n"
        "local accepted, text, cohorts = record[2], record[3], record[4]\n"
        "if not state then\n"
        "    local value\n"
        "    ended, field, value = find_ended(parts_of_key(broadcast))\n"
        "    if not ended then return 0 end\n"
        "    parts = parts_of_ended(value)\n"
        "    accepted, text, cohorts = parts[6], parts[11], parts[8]\n"
        "end\n"
        "accepted, cohorts = tonumber(accepted) or 0, cohorts or ''\n"
        "local function amend_cohort(number)\n"
        "    cohorts = string.gsub(cohorts, cohort .. '=(%d+)/(%d+)', function(devices, before)\n"
        "        return cohort .. '=' .. devices .. '/' .. string.format('%.0f', tonumber(before) + number)\n"
        "    end)\n"
        "end\n"
        "local failed, names = {}, {}\n"
        "for name, number in string.gmatch(text or '', '([^=,]+)=(%d+)') do\n"
        "    failed[name] = tonumber(number)\n"
        "    names[#names + 1] = name\n"
        "end\n"
        "for at = growth_at, #ARGV, 2 do\n"
        "    local name, number = ARGV[at], tonumber(ARGV[at + 1])\n"
        "    if name == 'a' then\n"
        "        accepted = accepted + number\n"
        "        amend_cohort(number)\n"
        "    elseif string.sub(name, 1, 2) == 'f:' then\n"
        "        name = string.sub(name, 3)\n"
        "        if not failed[name] then names[#names + 1] = name end\n"
        "        failed[name] = math.max(0, (failed[name] or 0) + number)\n"
        "    end\n"
        "end\n"
        "local told = {}\n"
        "for _, name in ipairs(names) do\n"
        "    if failed[name] > 0 then told[#told + 1] = name .. '=' .. string.format('%.0f', failed[name]) end\n"
        "end\n"
        "accepted, text = string.format('%.0f', accepted), table.concat(told, ',')\n"
        "if parts then\n"
        "    parts[6], parts[8], parts[11] = accepted, cohorts, text\n"
        "    redis.call('HSET', ended, field, ended_with(parts))\n"
        "else\n"
        "    redis.call('HSET', broadcast, 'accepted', accepted, 'failed', text)\n"
        "    if cohorts ~= '' then redis.call('HSET', broadcast, 'cohorts', cohorts) end\n"
        "end\n"
        "return 1\n";
}

const char *store_script_begin_end(void) {
    return
        PART_schedules
        PART_drivers
        PART_timestamps
        PART_turns
        PART_unfinished
        PART_ended_broadcasts
        PART_recent
        PART_add_job
        PART_partition_jobs
        PART_write_rights
        PART_held_jobs
        PART_beginning
        PART_departures
        PART_superseding
        PART_catch_up
        PART_healing
        PART_slot_ranges
        PART_topics
        PART_rights
        "local activity, broadcast, open_broadcasts, unfinished, owners, counts, small_jobs, first_jobs, due, topic = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]\n"
        "local id, packed_id, activity_id, expected_state, now, kept_until, payload_before, payload_after, addressed, scope, list_parts, most_open, schedule, interval, topic_part, reason, fields_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13], ARGV[14], ARGV[15], ARGV[16], 17\n"
        "require_rights(broadcast .. ':rights', kept_until)\n"
        "if is_recorded(activity, broadcast, id, packed_id) then return { 2 } end\n"
        "local time, whole = tonumber(now), addressed == ''\n"
        "local draft = {\n"
        "    kind = 'end', activity = activity, activity_id = activity_id, id = id, packed_id = packed_id, now = now,\n"
        "    kept_until = kept_until, expected_state = expected_state, whole = whole, scope = scope,\n"
        "    schedule = parts_of_schedule(schedule), topic = parts_of_topic(topic_part),\n"
        "}\n"
        "local is = read_fields(activity, {\n"
        "    'state', 'timestamp', 'slots', 'devices', 'whole_timestamp', 'heal', 'used_timestamp', 'channels', 'min_interval',\n"
        "    'tenant', 'recent', 'order', 'indexed', 'settled', 'schedule', 'driven', 'catch_up', 'newest_update',\n"
        "})\n"
        "local slots = is.slots or ''\n"
        "local refusal = refusal_of(draft, due, is.state, topic)\n"
        "if refusal then return refusal end\n"
        "if most_open ~= '0' and not whole and redis.call('HLEN', open_broadcasts) >= tonumber(most_open) then return { 5 } end\n"
        "if not is_settled(is) then complete_turns(activity, open_broadcasts, is.order, is.indexed, time) end\n"
        "local listed = not whole and slots_of_scope(scope) or nil\n"
        "local covered\n"
        "if not whole then\n"
        "    covered = listed and find_covered(activity, open_broadcasts, listed, time)\n"
        "        or find_coverable(activity, open_broadcasts, scope, time)\n"
        "end\n"
        "local pace, last = tonumber(is.min_interval or interval), tonumber(is.timestamp) or 0\n"
        "local used = pace >= 1000 and used_timestamp(tonumber(is.used_timestamp), last, time)\n"
        "local whole_last = tonumber(is.whole_timestamp) or last\n"
        "local timestamp\n"
        "if whole or pace == 0 then\n"
        "    timestamp = timestamp_for_all(activity, last, used, nil, time, time)\n"
        "    last = timestamp\n"
        "else\n"
        "    timestamp = timestamp_for_list(activity, last, whole_last, nil, time, time, listed)\n"
        "end\n"
        "if not whole then note_timestamp(activity, time, timestamp, listed, true) end\n"
        "if used and whole then used = math.max(used, timestamp) end\n"
        "note_older_timestamps(activity, is, whole and last or whole_last, used, last)\n"
        "local order, payload = next_order(is), complete_payload(payload_before, payload_after, timestamp)\n"
        "local superseded, entries, remaining\n"
        "local lists = {}\n"
        "note_driver(activity, is, draft.schedule.id, draft.schedule.name, kept_until)\n"
        "if whole then\n"
        "    keep_for_catch_up(activity, is, id, order, false)\n"
        "    if is.heal then keep_for_healing(activity, due, activity_id, false) end\n"
        "    superseded = supersede_all(activity, open_broadcasts)\n"
        "else\n"
        "    superseded, lists = supersede_covered(activity, covered, nil, time, time)\n"
        "    entries = covered.entries\n"
        "    remaining = entries and remaining_entries(covered)\n"
        "end\n"
        "join_turns(activity, order, 'end', whole, listed, kept_until, entries, remaining)\n"
        "add_unfinished(draft, order, is.tenant, open_broadcasts, unfinished, owners, counts)\n"
        "local channels = whole and is.channels or ''\n"
        "local devices = tonumber(whole and is.devices or addressed) or 0\n"
        "if channels ~= '' then devices = math.max(0, devices - slots_with_channel(slots, channels)) + pushes_to(channels) end\n"
        "local to_channels, jobs = jobs_of(whole and slots or '', -1, channels, list_parts)\n"
        "local record = { 'jobs', #to_channels + #jobs, 'updates', 0, 'devices', devices, unpack(ARGV, fields_at) }\n"
        "if channels ~= '' then record[#record + 1], record[#record + 2] = 'channels', channels end\n"
        "write_record(draft, broadcast, order, timestamp, payload, record)\n"
        "add_jobs(small_jobs, to_channels, id, activity_id)\n"
        "add_jobs(devices <= 2000 and small_jobs or first_jobs, jobs, id, activity_id)\n"
        "local changes = { 'state', whole and '2' or '1', 'timestamp', string.format('%.0f', last) }\n"
        "if whole then\n"
        "    for _, each in ipairs({ 'ended_at', now, 'end_broadcast', id, 'end_reason', reason }) do\n"
        "        changes[#changes + 1] = each\n"
        "    end\n"
        "    redis.call('HDEL', activity, 'pace', 'whole_timestamp', 'used_timestamp', 'hour_urgent', 'shown', 'shown_order')\n"
        "    redis.call('ZREM', due, 'a:' .. activity_id)\n"
        "end\n"
        "fulfil_schedule(draft, due)\n"
        "if topic then note_topic(topic, activity_id, draft.topic.version, false, whole) end\n"
        "change_activity(draft, order, topic, is.recent, changes)\n"
        "return { 1, timestamp, order, slots, table.concat(superseded, ','), table.concat(lists, ','), channels }\n";
}

const char *store_script_begin_start(void) {
    return
        PART_schedules
        PART_drivers
        PART_timestamps
        PART_turns
        PART_unfinished
        PART_ended_broadcasts
        PART_recent
        PART_add_job
        PART_partition_jobs
        PART_write_rights
        PART_held_jobs
        PART_beginning
        PART_healing
        PART_restart_marks
        PART_shown
        PART_slot_ranges
        PART_topics
        PART_arrivals
        PART_rights
        "local activity, broadcast, lock, open_broadcasts, unfinished, owners, counts, small_jobs, first_jobs, due, topic = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]\n"
        "local id, packed_id, activity_id, expected_state, now, kept_until, payload_before, payload_after, addressed, scope, list_parts, schedule, next_due, restart, interval, channels, topic_part, digest, noted_as, fields_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13], ARGV[14], ARGV[15], ARGV[16], ARGV[17], ARGV[18], ARGV[19], 20\n"
        "require_rights(broadcast .. ':rights', kept_until)\n"
        "if is_recorded(activity, broadcast, id, packed_id) then return { 2 } end\n"
        "local time, whole = tonumber(now), addressed == ''\n"
        "local draft = {\n"
        "    kind = 'start', activity = activity, activity_id = activity_id, id = id, packed_id = packed_id, now = now,\n"
        "    kept_until = kept_until, expected_state = expected_state, whole = whole, scope = scope,\n"
        "    schedule = parts_of_schedule(schedule), topic = parts_of_topic(topic_part),\n"
        "}\n"
        "local is_restart, is_join, life = restart ~= '', draft.topic.joined ~= '', draft.topic.life\n"
        "local is_first = not is_restart and not is_join\n"
        "local is = read_fields(activity, {\n"
        "    'state', 'timestamp', 'slots', 'devices', 'whole_timestamp', 'heal', 'used_timestamp', 'channels', 'shown',\n"
        "    'min_interval', 'tenant', 'recent', 'arrived', 'order', 'indexed', 'settled', 'schedule', 'driven',\n"
        "})\n"
        "local refusal = refusal_of(draft, due, is.state, topic)\n"
        "if refusal then return refusal end\n"
        "if life ~= '' then\n"
        "    local its = redis.call('HMGET', topic, 'life', 'state')\n"
        "    if its[1] ~= life or its[2] ~= 'live' then return { 0, 'life' } end\n"
        "end\n"
        "if is_join and redis.call('HEXISTS', topic, 'placing') == 0 then return { 0, 'placing' } end\n"
        "if is_restart then\n"
        "    if redis.call('GET', lock) ~= restart then return { 0, 'changing' } end\n"
        "elseif is_first then\n"
        "    if redis.call('EXISTS', activity .. ':roster') == 1 then return { 0, 'changing' } end\n"
        "    if redis.call('EXISTS', activity .. ':leaving') == 1 then return { 0, 'leaving' } end\n"
        "    if not redis.call('SET', lock, id, 'NX', 'PXAT', kept_until) then return { 0, '1' } end\n"
        "end\n"
        "if is_join then is.slots = confirm_placed(topic, activity, draft.topic.joined) end\n"
        "if not is_settled(is) then complete_turns(activity, open_broadcasts, is.order, is.indexed, time) end\n"
        "local listed = not whole and slots_of_scope(scope) or nil\n"
        "local pace, last = tonumber(is.min_interval or interval), tonumber(is.timestamp) or 0\n"
        "local used = pace >= 1000 and used_timestamp(tonumber(is.used_timestamp), last, time)\n"
        "local whole_last, is_for_all = tonumber(is.whole_timestamp) or last, not is_join and (whole or pace == 0)\n"
        "local timestamp\n"
        "if is_join then\n"
        "    timestamp = timestamp_for_joining(last, used, time)\n"
        "elseif is_for_all then\n"
        "    timestamp = timestamp_for_all(activity, last, used, nil, time, time)\n"
        "else\n"
        "    timestamp = timestamp_for_list(activity, last, whole_last, nil, time, time, listed)\n"
        "end\n"
        "if is_for_all then\n"
        "    last = timestamp\n"
        "else\n"
        "    note_timestamp(activity, time, timestamp, listed)\n"
        "    last = math.max(last, timestamp)\n"
        "end\n"
        "note_older_timestamps(activity, is, whole and last or whole_last, used and math.max(used, timestamp), last)\n"
        "local order, payload = next_order(is), complete_payload(payload_before, payload_after, timestamp)\n"
        "local changes = { 'state', '1', 'timestamp', string.format('%.0f', last) }\n"
        "note_driver(activity, is, draft.schedule.id, draft.schedule.name, kept_until)\n"
        "if noted_as ~= '' then note_arrival(changes, activity, is.arrived, noted_as, time, whole, listed) end\n"
        "note_shown(changes, activity, digest, is.shown, whole or is_first, order)\n"
        "if is.heal and is_first then\n"
        "    keep_for_healing(activity, due, activity_id, 'start', payload, id, now, kept_until)\n"
        "end\n"
        "if is_restart then remember_restart(activity, order, scope) end\n"
        "join_turns(activity, order, 'start', whole, listed, kept_until)\n"
        "add_unfinished(draft, order, is.tenant, open_broadcasts, unfinished, owners, counts)\n"
        "local devices = tonumber(whole and is.devices or addressed) or 0\n"
        "local follows = is_first and channels or is.channels or ''\n"
        "local _, jobs = jobs_of(whole and is.slots or '', -1, '', list_parts)\n"
        "local record = { 'jobs', #jobs, 'updates', 0, 'devices', devices, unpack(ARGV, fields_at) }\n"
        "if follows ~= '' then record[#record + 1], record[#record + 2] = 'follows', follows end\n"
        "write_record(draft, broadcast, order, timestamp, payload, record)\n"
        "add_jobs(devices <= 2000 and small_jobs or first_jobs, jobs, id, activity_id)\n"
        "if is_first then\n"
        "    local started = { 'started_at', now, 'start', whole and 'whole' or 'slots' }\n"
        "    if channels ~= '' then started[5], started[6] = 'channels', channels end\n"
        "    for _, each in ipairs(started) do changes[#changes + 1] = each end\n"
        "end\n"
        "fulfil_schedule(draft, due)\n"
        "if next_due ~= '' then redis.call('ZADD', due, next_due, 'a:' .. activity_id) end\n"
        "if topic then note_topic(topic, activity_id, draft.topic.version, is_first, false) end\n"
        "if is_restart then redis.call('DEL', lock) end\n"
        "change_activity(draft, order, topic, is.recent, changes)\n"
        "return { 1, timestamp, order, is.slots or '', follows }\n";
}

const char *store_script_begin_update(void) {
    return
        PART_schedules
        PART_drivers
        PART_timestamps
        PART_turns
        PART_unfinished
        PART_ended_broadcasts
        PART_recent
        PART_add_job
        PART_partition_jobs
        PART_write_rights
        PART_held_jobs
        PART_beginning
        PART_pacing
        PART_departures
        PART_superseding
        PART_catch_up
        PART_healing
        PART_shown
        PART_hours
        PART_slot_ranges
        PART_topics
        PART_arrivals
        PART_rights
        "local activity, broadcast, open_broadcasts, unfinished, owners, counts, small_jobs, update_jobs, due, held, topic = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]\n"
        "local id, hold, activity_id, expected_state, now, kept_until, payload_before, payload_after, addressed, scope, list_parts, most_open, schedule, interval, topic_part, digest, skips_unchanged, arrival, urgency, fields_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13], ARGV[14], ARGV[15], ARGV[16], ARGV[17], ARGV[18], ARGV[19], 20\n"
        "require_rights(broadcast .. ':rights', kept_until)\n"
        "local packed_id = packed(id)\n"
        "local time, whole = tonumber(now), addressed == ''\n"
        "local draft = {\n"
        "    kind = 'update', activity = activity, activity_id = activity_id, id = id, packed_id = packed_id, now = now,\n"
        "    kept_until = kept_until, expected_state = expected_state, whole = whole, scope = scope,\n"
        "    schedule = parts_of_schedule(schedule), topic = parts_of_topic(topic_part),\n"
        "}\n"
        "local received, noted_as = string.match(arrival, '^(%d+):(%d+)$')\n"
        "local arrived = tonumber(received)\n"
        "local is = read_fields(activity, {\n"
        "    'state', 'timestamp', 'slots', 'hour', 'hour_updates', 'devices', 'whole_timestamp', 'turn', 'heal',\n"
        "    'used_timestamp', 'channels', 'shown', 'min_interval', 'hour_urgent', 'frequent', 'tenant', 'recent', 'arrived',\n"
        "    'order', 'indexed', 'catch_up', 'settled', 'pace', 'schedule', 'driven', 'newest_update',\n"
        "})\n"
        "local may_be_known = hold == '' or string.find(is.recent or '', string.sub(packed_id, -6), 1, true)\n"
        "if may_be_known and is_recorded(activity, broadcast, id, packed_id) then return { 2 } end\n"
        "local slots, updates = is.slots or '', updates_of_hour(time, is.hour, is.hour_updates)\n"
        "local listed = not whole and slots_of_scope(scope) or nil\n"
        "local refusal = refusal_of(draft, due, is.state, topic)\n"
        "if refusal then return refusal end\n"
        "if whole and skips_unchanged == '1' and is_unchanged(digest, is.shown) then\n"
        "    local changes = {}\n"
        "    note_arrival(changes, activity, is.arrived, noted_as, time, whole, listed)\n"
        "    redis.call('HSET', activity, unpack(changes))\n"
        "    return { 4, updates }\n"
        "end\n"
        "if most_open ~= '0' and not whole and redis.call('HLEN', open_broadcasts) >= tonumber(most_open) then return { 5 } end\n"
        "local is_late = came_later(tonumber(is.arrived), arrived, time)\n"
        "if not is_late and may_be_overtaken(activity, arrived, time) then\n"
        "    local addressed_slots = whole and slots_of_scope('\\1' .. slots) or listed or {}\n"
        "    if #addressed_slots > 0 then\n"
        "        local left, others = slots_left(activity, addressed_slots, arrived, time)\n"
        "        is_late = left == ''\n"
        "        local can_be_list = not whole or not (topic or is.channels or is.heal or is.catch_up)\n"
        "        if others > 0 and not is_late and can_be_list then return { 6, left, others } end\n"
        "    end\n"
        "end\n"
        "local pace, last = tonumber(is.min_interval or interval), tonumber(is.timestamp) or 0\n"
        "local is_alone, wholes, covered = is_settled(is), {}, nil\n"
        "if not is_alone then complete_turns(activity, open_broadcasts, is.order, is.indexed, time) end\n"
        "if not is_alone and (whole or not is_late and pace > 0) then wholes = find_wholes(activity, open_broadcasts, time) end\n"
        "if not whole and not is_late then\n"
        "    covered = listed and find_covered(activity, open_broadcasts, listed, time)\n"
        "        or find_coverable(activity, open_broadcasts, scope, time)\n"
        "end\n"
        "local used = pace >= 1000 and used_timestamp(tonumber(is.used_timestamp), last, time)\n"
        "local whole_last = tonumber(is.whole_timestamp) or last\n"
        "local leave, older, next_pace = time, nil, nil\n"
        "if not is_late and pace > 0 then\n"
        "    if whole then older = newest_queued(wholes) else older = newest_same(covered) end\n"
        "    local ahead = not whole and used and newest_queued(wholes)\n"
        "    leave, next_pace = departure(is.pace, older, ahead, whole, time, pace)\n"
        "end\n"
        "local timestamp\n"
        "if is_late then\n"
        "    timestamp = last\n"
        "elseif whole or pace == 0 then\n"
        "    timestamp = timestamp_for_all(activity, last, used, older, time, leave)\n"
        "    last = timestamp\n"
        "else\n"
        "    timestamp = timestamp_for_list(activity, last, whole_last, older, time, leave, listed)\n"
        "    note_timestamp(activity, time, timestamp, listed)\n"
        "    last = math.max(last, timestamp)\n"
        "end\n"
        "local earliest = (timestamp - 2 - clock_step(used, time)) * 1000\n"
        "if not is_late and pace >= 1000 then leave = math.max(leave, math.min(earliest, time + 60000)) end\n"
        "if used and not is_late and (leave <= time or leave < earliest) then used = math.max(used, timestamp) end\n"
        "note_older_timestamps(activity, is, whole and not is_late and last or whole_last, used, last)\n"
        "local channels = whole and is.channels or ''\n"
        "local after_start = channels ~= '' and not is_alone and has_open_start(activity, open_broadcasts)\n"
        "local devices = tonumber(whole and is.devices or addressed) or 0\n"
        "if channels ~= '' then\n"
        "    devices = math.max(0, devices - slots_with_channel(slots, channels)) + pushes_to(channels, after_start)\n"
        "end\n"
        "local to_channels, jobs = jobs_of(whole and slots or '', tonumber(is.turn) or -1, channels, list_parts, after_start)\n"
        "local is_held = hold ~= '' and whole and is_alone and not is_late and leave <= time\n"
        "    and #to_channels == 0 and #jobs == 1 and devices <= 2000\n"
        "local priority = tonumber(urgency) or 10\n"
        "if not tonumber(urgency) and not is.frequent then\n"
        "    priority = priority_of_update(time, is.hour, is.hour_urgent, tonumber(string.sub(urgency, 2)))\n"
        "end\n"
        "local order, payload = next_order(is), complete_payload(payload_before, payload_after, timestamp)\n"
        "local superseded, lists = {}, {}\n"
        "local changes = { 'state', '1', 'timestamp', string.format('%.0f', last) }\n"
        "if next_pace then changes[5], changes[6] = 'pace', next_pace end\n"
        "if is_held then updates = count_update(changes, time, is.hour, is.hour_updates, is.hour_urgent, priority == 10) end\n"
        "if not is_late then\n"
        "    note_driver(activity, is, draft.schedule.id, draft.schedule.name, kept_until)\n"
        "    note_arrival(changes, activity, is.arrived, noted_as, time, whole, listed)\n"
        "    note_shown(changes, activity, digest, is.shown, whole, order)\n"
        "    if whole then\n"
        "        keep_for_catch_up(activity, is, id, order, true)\n"
        "        if is.heal then\n"
        "            keep_for_healing(activity, due, activity_id, 'update', payload, id, now, kept_until)\n"
        "        end\n"
        "        if not is_alone then superseded = supersede(activity, open_broadcasts, wholes, leave, time) end\n"
        "    else\n"
        "        superseded, lists = supersede_covered(activity, covered, older, leave, time)\n"
        "    end\n"
        "    local entries = covered and covered.entries\n"
        "    if not is_held then\n"
        "        join_turns(activity, order, 'update', whole, listed, kept_until, entries,\n"
        "            entries and remaining_entries(covered))\n"
        "    end\n"
        "end\n"
        "local record = {\n"
        "    'jobs', #to_channels + #jobs, 'updates', updates, 'priority', priority, 'devices', devices,\n"
        "    unpack(ARGV, fields_at)\n"
        "}\n"
        "local function add(name, value) record[#record + 1], record[#record + 2] = name, value end\n"
        "if is_late then add('superseded', '1') end\n"
        "if leave > time then add('not_before', string.format('%.0f', leave)) end\n"
        "if channels ~= '' then add('channels', channels) end\n"
        "if after_start then add('after_start', '1') end\n"
        "if is_held then\n"
        "    add('started_at', now)\n"
        "    add('held', '1')\n"
        "end\n"
        "write_record(draft, broadcast, order, timestamp, payload, record, is_held)\n"
        "if is_held then\n"
        "    add_open(draft, order, open_broadcasts)\n"
        "    put_held(held, activity_id .. ':' .. id, hold, kept_until, jobs[1], is.tenant)\n"
        "else\n"
        "    add_unfinished(draft, order, is.tenant, open_broadcasts, unfinished, owners, counts)\n"
        "    add_jobs(small_jobs, to_channels, id, activity_id)\n"
        "    add_jobs(devices <= 2000 and small_jobs or update_jobs, jobs, id, activity_id)\n"
        "end\n"
        "fulfil_schedule(draft, due)\n"
        "if topic then note_topic(topic, activity_id, draft.topic.version, false, false) end\n"
        "change_activity(draft, order, topic, is.recent, changes, is_held)\n"
        "return { 1, timestamp, order, slots, updates, table.concat(superseded, ','), table.concat(lists, ','),\n"
        "    math.floor(leave), channels, after_start and 1 or 0, priority, is_held and 1 or 0 }\n";
}

const char *store_script_cancel(void) {
    return
        PART_schedules
        PART_write_rights
        "local activity, due = KEYS[1], KEYS[2]\n"
        "local now, activity_id, item, reason, schedule, version = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "if schedule ~= '' and not is_waiting(activity, due, activity_id, schedule, version) then return 3 end\n"
        "if redis.call('HGET', activity, 'state') ~= '0' then return 0 end\n"
        "require_writes(activity, 'HSET')\n"
        "redis.call('ZREM', due, item)\n"
        "if schedule ~= '' then end_schedule(activity, due, activity_id, schedule, now, 'done') end\n"
        "redis.call('HSET', activity, 'state', '2', 'ended_at', now, 'end_reason', reason)\n"
        "return 1\n";
}

const char *store_script_close_start(void) {
    return
        PART_progress
        PART_pages
        "local progress = KEYS[1]\n"
        "local owner, places, status_prefix, first_page = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "for _, field in ipairs(redis.call('HKEYS', progress)) do\n"
        "    local slot = string.match(field, '^r(%d+)$')\n"
        "    if slot then\n"
        "        local page = math.floor(slot / 868)\n"
        "        local index = slot % 868\n"
        "        local status_page = unpack(open_pages({ status_prefix .. string.format('%.0f', page) }))\n"
        "        if read_range(status_page, index, index) == '\\001' then\n"
        "            local state, pages = state_of(progress, page - first_page)\n"
        "            if state == '\\050' then set_state(progress, pages, page - first_page, '\\051') end\n"
        "        end\n"
        "        redis.call('HDEL', progress, field)\n"
        "    end\n"
        "end\n"
        "local states = redis.call('HGET', progress, 'pages') or '\\048'\n"
        "for place = 1, #places do\n"
        "    local page = string.byte(places, place) + 1\n"
        "    if string.sub(states, page, page) ~= '\\050' then return states end\n"
        "end\n"
        "if redis.call('HGET', progress, 'owner') == owner then redis.call('HSET', progress, 'closed', 1) end\n"
        "return ''\n";
}

const char *store_script_finish_page(void) {
    return
        PART_pages
        PART_cells
        PART_page_writing
        PART_cell_writing
        PART_former_tokens
        PART_delivery_statuses
        PART_outcome_kinds
        PART_outcomes
        PART_progress
        PART_untold
        PART_followers
        PART_looks
        PART_start_notes
        PART_write_rights
        "local progress, status_page, update_page, counters, pending_ends, outcome_page, start_counts, untold = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8]\n"
        "local owner, page, first, statuses, ended_cell, expires_at, first_slot, ended, first_outcome, codes, kinds, order, ended_by, report_times, forgets_at, rest_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13], ARGV[14], ARGV[15], 16\n"
        "if redis.call('HGET', progress, 'owner') ~= owner then return { -1 } end\n"
        "local state, pages = state_of(progress, page)\n"
        "if state == '\\050' then\n"
        "    local reply, tokens = { 0 }, open_pages({ update_page })[1]\n"
        "    for position = rest_at, rest_at + (order ~= '' and ended or 0) - 1 do\n"
        "        local slot = first_slot + ARGV[position]\n"
        "        local is_pending = redis.call('HGET', pending_ends, string.format('%.0f', slot)) == ended_by\n"
        "        if is_pending and (read_cell(tokens, tonumber(ARGV[position])) or '') ~= '' then reply[#reply + 1] = slot end\n"
        "    end\n"
        "    return reply\n"
        "end\n"
        "require_writes(progress, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')\n"
        "local opened, is = open_pages({ status_page, update_page, outcome_page }, { 'turns', 'restart' })\n"
        "local status_page, update_page, outcome_page = unpack(opened)\n"
        "local may_be_another = order ~= '' and is[2]\n"
        "local statuses, codes = statuses, codes\n"
        "if may_be_another then\n"
        "    statuses = without_later_starts(statuses, start_counts, first_slot + first, order)\n"
        "    codes = without_later_starts(codes, start_counts, first_slot + first_outcome, order)\n"
        "end\n"
        "local rotated, reply, tokens = {}, { 1 }, ended_by ~= '' and keeps_former(first_slot) and read_page(update_page) or ''\n"
        "if tokens ~= '' then\n"
        "    local width = string.byte(tokens)\n"
        "    statuses = string.gsub(statuses, '()[^%z]', function(place)\n"
        "        local index = first + place - 1\n"
        "        local at = 2 + index * width\n"
        "        local has_token = string.byte(tokens, at + 4) and string.byte(tokens, at) > 0\n"
        "        local is_read = string.sub(tokens, at + 1, at + 4) == string.sub(report_times, 4 * place - 3, 4 * place)\n"
        "        if not has_token or is_read then return nil end\n"
        "        rotated[index] = true\n"
        "        reply[#reply + 1] = first_slot + index\n"
        "        redis.call('HSET', pending_ends, string.format('%.0f', first_slot + index), ended_by)\n"
        "        redis.call('PEXPIREAT', pending_ends, expires_at)\n"
        "        return '\\0'\n"
        "    end)\n"
        "end\n"
        "if statuses ~= '' then count_followers(counters, put_statuses(status_page, tonumber(first), statuses)) end\n"
        "if string.find(statuses, '\\021', 1, true) then\n"
        "    note_look(counters, math.floor(first_slot / 868), expires_at)\n"
        "end\n"
        "if string.find(codes, '[^%z]') then\n"
        "    put_outcomes(outcome_page, status_page, tonumber(first_outcome), codes, kinds, expires_at)\n"
        "end\n"
        "local ended = tonumber(ended)\n"
        "for position = rest_at, rest_at + ended - 1 do\n"
        "    local index = tonumber(ARGV[position])\n"
        "    local slot = string.format('%.0f', first_slot + index)\n"
        "    if not rotated[index] and (not may_be_another or not is_started_since(start_counts, slot, order)) then\n"
        "        local old, _, width, rest = read_cell(update_page, index)\n"
        "        if old then\n"
        "            local cell = cell_without_token(ended_cell, slot, old, rest)\n"
        "            write_cell(update_page, index, cell, status_page, expires_at, width)\n"
        "            if old ~= '' then redis.call('HINCRBY', counters, 'synced', -1) end\n"
        "        end\n"
        "        redis.call('HDEL', pending_ends, slot)\n"
        "    end\n"
        "end\n"
        "if forgets_at ~= '' and not string.find(read_page(status_page) or '', '[\\001\\003-\\006\\020]') then\n"
        "    if update_page.short and keeps_former(first_slot) then\n"
        "        local cells = {}\n"
        "        for index = 0, math.floor((#update_page.short - 1) / width_of(update_page)) - 1 do\n"
        "            local old, reason, _, rest = read_cell(update_page, index)\n"
        "            local cell = old == '' and '\\0' .. string.char(reason) or ended_cell\n"
        "            cell = cell_without_token(cell, first_slot, old, rest)\n"
        "            cells[#cells + 1] = cell .. string.rep('\\0', 10 - #cell)\n"
        "        end\n"
        "        rewrite(update_page, string.char(10) .. table.concat(cells))\n"
        "    else\n"
        "        forget_page(update_page, forgets_at)\n"
        "    end\n"
        "end\n"
        "for position = rest_at + ended, #ARGV, 2 do\n"
        "    local name, value = ARGV[position], ARGV[position + 1]\n"
        "    if name == 't:' then\n"
        "        local turns, start = is[1] or '', 6 * page\n"
        "        turns = turns .. string.rep('\\0', start - #turns)\n"
        "        turns = string.sub(turns, 1, start) .. value .. string.sub(turns, start + 6 + 1)\n"
        "        redis.call('HSET', counters, 'turns', turns)\n"
        "        redis.call('PEXPIREAT', counters, expires_at)\n"
        "    elseif not keep_untold(untold, name, value, expires_at) then\n"
        "        redis.call('HINCRBY', progress, name, value)\n"
        "    end\n"
        "end\n"
        "set_state(progress, pages, page, '\\050')\n"
        "return reply\n";
}

const char *store_script_note_broadcast(void) {
    return
        "local broadcast = KEYS[1]\n"
        "local fields_at = 1\n"
        "local state = redis.call('HGET', broadcast, 'state')\n"
        "if state ~= 'queued' and state ~= 'running' then return 0 end\n"
        "for index = fields_at, #ARGV, 2 do redis.call('HSETNX', broadcast, ARGV[index], ARGV[index + 1]) end\n"
        "return 1\n";
}

const char *store_script_note_outcomes(void) {
    return
        PART_outcome_kinds
        PART_pages
        PART_page_writing
        PART_outcomes
        PART_start_notes
        "local outcome_page, status_page, start_counts = KEYS[1], KEYS[2], KEYS[3]\n"
        "local first, codes, kinds, expires_at, first_slot, order = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "local outcome_page, status_page = unpack(open_pages({ outcome_page, status_page }))\n"
        "local codes = codes\n"
        "if order ~= '' then codes = without_later_starts(codes, start_counts, first_slot + first, order) end\n"
        "if not string.find(codes, '[^%z]') then return 1 end\n"
        "put_outcomes(outcome_page, status_page, tonumber(first), codes, kinds, expires_at)\n"
        "return 1\n";
}

const char *store_script_note_reading(void) {
    return
        PART_pages
        "local update_page, status_page, reading = KEYS[1], KEYS[2], KEYS[3]\n"
        "local order, expires_at = ARGV[1], ARGV[2]\n"
        "local update_page, status_page = unpack(open_pages({ update_page, status_page }))\n"
        "local tokens, statuses = read_page(update_page) or '', read_page(status_page) or ''\n"
        "local noted = redis.call('GETRANGE', reading, 0, 3)\n"
        "if #noted == 4 and struct.unpack('<I4', noted) > tonumber(order) then return { tokens, statuses } end\n"
        "local width, bits = string.byte(tokens, 1) or 0, {}\n"
        "for first = 0, width > 0 and #statuses - 1 or -1, 8 do\n"
        "    local byte = 0\n"
        "    for index = first, first + 7 do\n"
        "        local length = string.byte(tokens, 2 + index * width) or 0\n"
        "        byte = byte * 2 + (length > 0 and 1 or 0)\n"
        "    end\n"
        "    bits[#bits + 1] = string.char(byte)\n"
        "end\n"
        "redis.call('SET', reading, struct.pack('<I4', order) .. table.concat(bits), 'PXAT', expires_at)\n"
        "return { tokens, statuses }\n";
}

const char *store_script_open_partition(void) {
    return
        PART_write_rights
        "local progress, counters = KEYS[1], KEYS[2]\n"
        "local owner, expires_at = ARGV[1], ARGV[2]\n"
        "local is = redis.call('HMGET', progress, 'owner', 'pages', 'doubt')\n"
        "require_writes(progress, 'PEXPIREAT', is[3] == '0' and 'HDEL' or nil)\n"
        "redis.call('HSET', progress, 'owner', owner)\n"
        "redis.call('PEXPIREAT', progress, expires_at)\n"
        "if is[3] == '0' then redis.call('HDEL', progress, 'doubt') end\n"
        "return { is[2] or '', is[1] and 1 or 0, redis.call('HGET', counters, 'turns') or '', is[3] or '' }\n";
}

const char *store_script_open_start(void) {
    return
        PART_outcome_kinds
        PART_pages
        PART_page_writing
        PART_outcomes
        PART_known_outcomes
        PART_doubts
        PART_followers
        PART_write_rights
        "local progress, noted, doubts = KEYS[1], KEYS[2], KEYS[3]\n"
        "local owner, expires_at, list_prefix, status_prefix, outcome_prefix, update_prefix, kind, broadcast = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]\n"
        "local before = redis.call('HGET', progress, 'owner')\n"
        "local function shown_in(update_page, restart)\n"
        "    local tokens = not restart and read_page(update_page) or ''\n"
        "    local width = string.byte(tokens, 1) or 0\n"
        "    return function(index)\n"
        "        local length, mark = string.byte(tokens, 2 + index * width, 3 + index * width)\n"
        "        return width > 1 and ((length or 0) > 0 or mark == 254)\n"
        "    end\n"
        "end\n"
        "local function put_in_doubt(page, is_noted)\n"
        "    local opened, is = open_pages(\n"
        "        { status_prefix .. page, outcome_prefix .. page, update_prefix .. page }, { 'restart' })\n"
        "    local status_page, outcome_page, update_page = unpack(opened)\n"
        "    local statuses = read_page(status_page) or ''\n"
        "    local has_outcome, is_shown = outcomes_of(outcome_page), shown_in(update_page, is[1])\n"
        "    local changed, codes, count, shown = {}, {}, 0, 0\n"
        "    for index = 0, #statuses - 1 do\n"
        "        local status, code = string.byte(statuses, index + 1), '\\0'\n"
        "        if is_noted(index) then\n"
        "            if status == 1 and is_shown(index) then\n"
        "                status, shown = 3, shown + 1\n"
        "            elseif status == 1\n"
        "                or (status == 2 or status >= 16) and not has_outcome(index)\n"
        "            then\n"
        "                if status == 1 then status = 5 end\n"
        "                code, count = '\\1', count + 1\n"
        "                redis.call('HSET', doubts, slot_of(page, index), broadcast .. ' ' .. before)\n"
        "            end\n"
        "        end\n"
        "        changed[index + 1], codes[index + 1] = string.char(status), code\n"
        "    end\n"
        "    if count + shown == 0 then return end\n"
        "    changed = table.concat(changed)\n"
        "    write_range(status_page, 0, changed)\n"
        "    count_followers(status_page.counters, statuses, changed, expires_at)\n"
        "    if shown > 0 then redis.call('HINCRBY', progress, 'a', shown) end\n"
        "    if count == 0 then return end\n"
        "    redis.call('PEXPIREAT', doubts, expires_at)\n"
        "    put_outcomes(outcome_page, status_page, 0, table.concat(codes), kind, expires_at)\n"
        "    redis.call('HINCRBY', progress, 'f:unknown', count)\n"
        "end\n"
        "if before and before ~= owner then\n"
        "    require_writes(progress, 'DEL', 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'RPUSH', 'SET', 'SETRANGE')\n"
        "    local list = list_prefix .. before\n"
        "    local runs = {}\n"
        "    for _, run in ipairs(kind ~= '' and redis.call('LRANGE', list, 0, -1) or {}) do\n"
        "        if #run > 9 then runs[#runs + 1] = { (struct.unpack('<I4', run, 2)), run } end\n"
        "    end\n"
        "    table.sort(runs, function(one, other) return one[1] < other[1] end)\n"
        "    local pages = {}\n"
        "    for _, element in ipairs(runs) do\n"
        "        local run = element[2]\n"
        "        local page = string.format('%.0f', (struct.unpack('<I4', run, 6)))\n"
        "        pages[page] = pages[page] or {}\n"
        "        local is_noted = string.byte(run) == 43\n"
        "        for position = 10, #run - 3, 4 do\n"
        "            local first, count = struct.unpack('<I2I2', run, position)\n"
        "            for index = first, first + count - 1 do pages[page][index] = is_noted end\n"
        "        end\n"
        "    end\n"
        "    for page, is_noted in pairs(pages) do\n"
        "        put_in_doubt(page, function(index) return is_noted[index] end)\n"
        "    end\n"
        "    redis.call('DEL', list)\n"
        "end\n"
        "if redis.call('EXISTS', noted) == 0 then redis.call('RPUSH', noted, '') end\n"
        "redis.call('PEXPIREAT', noted, expires_at)\n"
        "redis.call('HSET', progress, 'owner', owner)\n"
        "redis.call('PEXPIREAT', progress, expires_at)\n"
        "return { redis.call('HGET', progress, 'pages') or '', before and 1 or 0 }\n";
}

const char *store_script_record_outcomes(void) {
    return
        PART_outcome_kinds
        PART_pages
        PART_page_writing
        PART_outcomes
        PART_known_outcomes
        PART_doubts
        PART_progress
        PART_untold
        PART_followers
        PART_looks
        PART_write_rights
        "local progress, status_page, outcome_page, doubts, counters, untold = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]\n"
        "local owner, page, state, expires_at, first, statuses, codes, kinds, broadcast, kind_count, now, rest_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], 12\n"
        "require_writes(progress, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')\n"
        "local holder = owner_of(progress)\n"
        "local is_mine = holder == owner\n"
        "local page_index = page % 64\n"
        "local doubt = broadcast .. ' ' .. owner\n"
        "local kind_count = tonumber(kind_count)\n"
        "local growth = {}\n"
        "local function grow(name, number)\n"
        "    if number ~= 0 then growth[name] = (growth[name] or 0) + number end\n"
        "end\n"
        "local function count(codes)\n"
        "    if kind_count == 1 then return grow(ARGV[rest_at], #codes) end\n"
        "    for code = 1, kind_count do\n"
        "        local _, number = string.gsub(codes, string.char(code), '')\n"
        "        grow(ARGV[rest_at + code - 1], number)\n"
        "    end\n"
        "end\n"
        "local first = tonumber(first)\n"
        "local opened, noted = open_pages({ status_page, outcome_page }, { 'starts' })\n"
        "local status_page, outcome_page = unpack(opened)\n"
        "local has_outcome = outcomes_of(outcome_page)\n"
        "local function note_start()\n"
        "    local starts, at = noted[1] or '', 6 * page_index\n"
        "    if #starts >= at + 6 and struct.unpack('<I6', starts, at + 1) > 0 then return end\n"
        "    starts = starts .. string.rep('\\0', at - #starts)\n"
        "    starts = string.sub(starts, 1, at) .. struct.pack('<I6', now) .. string.sub(starts, at + 7)\n"
        "    redis.call('HSET', counters, 'starts', starts)\n"
        "    redis.call('PEXPIREAT', counters, expires_at)\n"
        "end\n"
        "local function merged(index, is, becomes)\n"
        "    local slot = slot_of(page, index)\n"
        "    local has_live_activity = becomes == 3\n"
        "    local left = redis.call('HGET', doubts, slot)\n"
        "    local is_told = left and becomes < 5\n"
        "        and (left == doubt or has_live_activity and string.match(left, '^%S+') == broadcast)\n"
        "    if is_told then\n"
        "        redis.call('HDEL', doubts, slot)\n"
        "        grow('f:unknown', -1)\n"
        "        return true, is == 5 and becomes or is\n"
        "    end\n"
        "    if is == 5 and has_live_activity then return false, becomes end\n"
        "    if not holder or not is_mine and not has_live_activity then return false, is end\n"
        "    if is == 1 then\n"
        "        if becomes == 5 then\n"
        "            redis.call('HSET', doubts, slot, doubt)\n"
        "            redis.call('PEXPIREAT', doubts, expires_at)\n"
        "        end\n"
        "        return true, becomes\n"
        "    end\n"
        "    return (is == 2 or is >= 16) and not has_outcome(index), is\n"
        "end\n"
        "if codes ~= '' then\n"
        "    local old = read_range(status_page, first, first + #codes - 1)\n"
        "    local new, kept = {}, {}\n"
        "    local position = 1\n"
        "    while true do\n"
        "        local from, to = string.find(codes, '[^%z]+', position)\n"
        "        new[#new + 1] = string.sub(old, position, (from or #codes + 1) - 1)\n"
        "        kept[#kept + 1] = string.sub(codes, position, (from or #codes + 1) - 1)\n"
        "        if not from then break end\n"
        "        local was, becomes = string.sub(old, from, to), string.sub(statuses, from, to)\n"
        "        if is_mine and #was == to - from + 1 and not string.find(was, '[^\\001]')\n"
        "            and not string.find(becomes, '\\005')\n"
        "        then\n"
        "            new[#new + 1] = becomes\n"
        "            kept[#kept + 1] = string.sub(codes, from, to)\n"
        "            count(kept[#kept])\n"
        "        else\n"
        "            for at = from, to do\n"
        "                local is_news, status =\n"
        "                    merged(first + at - 1, string.byte(old, at) or 0, string.byte(statuses, at))\n"
        "                if #old >= at then new[#new + 1] = string.char(status) end\n"
        "                kept[#kept + 1] = is_news and string.sub(codes, at, at) or '\\0'\n"
        "                if is_news then count(kept[#kept]) end\n"
        "            end\n"
        "        end\n"
        "        position = to + 1\n"
        "    end\n"
        "    new = table.concat(new)\n"
        "    write_range(status_page, first, new)\n"
        "    count_followers(counters, string.sub(old, 1, #new), new, expires_at)\n"
        "    if string.find(statuses, '\\003', 1, true) then note_start() end\n"
        "    if string.find(new, '[\\004\\006]') then note_look(counters, page, expires_at) end\n"
        "    kept = table.concat(kept)\n"
        "    if string.find(kept, '[^%z]') then\n"
        "        put_outcomes(outcome_page, status_page, first, kept, kinds, expires_at)\n"
        "    end\n"
        "end\n"
        "local is_finished, was_counted = false, false\n"
        "if is_mine and state == '\\050' then\n"
        "    local is, pages = state_of(progress, page_index)\n"
        "    if is ~= '\\050' then\n"
        "        set_state(progress, pages, page_index, '\\050')\n"
        "        is_finished, was_counted = true, is == '\\051'\n"
        "    end\n"
        "end\n"
        "for at = rest_at + kind_count, #ARGV, 2 do\n"
        "    local name, value = ARGV[at], ARGV[at + 1]\n"
        "    if not keep_untold(untold, name, value, expires_at)\n"
        "        and is_finished and (not was_counted or not string.find(name, ':'))\n"
        "    then\n"
        "        grow(name, tonumber(value))\n"
        "    end\n"
        "end\n"
        "if not holder then\n"
        "    local reply = { -2 }\n"
        "    for name, number in pairs(growth) do\n"
        "        reply[#reply + 1] = name\n"
        "        reply[#reply + 1] = tostring(number)\n"
        "    end\n"
        "    return reply\n"
        "end\n"
        "for name, number in pairs(growth) do redis.call('HINCRBY', progress, name, number) end\n"
        "return { is_mine and 1 or -1 }\n";
}

const char *store_script_release_doubted(void) {
    return
        PART_doubts
        PART_progress
        PART_pages
        PART_page_writing
        PART_write_rights
        "local progress, status_page, doubts = KEYS[1], KEYS[2], KEYS[3]\n"
        "local owner, page, slots, broadcast = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "require_writes(progress, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'SET', 'SETRANGE')\n"
        "local is_closed = not owner_of(progress)\n"
        "local doubt = broadcast .. ' ' .. owner\n"
        "local released = 0\n"
        "local status_page = unpack(open_pages({ status_page }))\n"
        "for at = 1, #slots - 3, 4 do\n"
        "    local from, number = struct.unpack('<I2I2', slots, at)\n"
        "    for index = from, from + number - 1 do\n"
        "        local slot = slot_of(page, index)\n"
        "        if redis.call('HGET', doubts, slot) == doubt then\n"
        "            redis.call('HDEL', doubts, slot)\n"
        "            if read_range(status_page, index, index) == '\\005' then\n"
        "                local status = is_closed and 6 or 1\n"
        "                write_range(status_page, index, string.char(status))\n"
        "                released = released + 1\n"
        "                if not is_closed then redis.call('HSET', progress, 'r' .. slot, 1) end\n"
        "            end\n"
        "        end\n"
        "    end\n"
        "end\n"
        "if is_closed then\n"
        "    return released == 0 and { -2 }\n"
        "        or { -2, 'f:unknown', tostring(-released), 'f:NoConnection', tostring(released) }\n"
        "end\n"
        "if released > 0 then redis.call('HINCRBY', progress, 'f:unknown', -released) end\n"
        "return { -1 }\n";
}

const char *store_script_supersede_list(void) {
    return
        "local broadcast = KEYS[1]\n"
        "local time = ARGV[1]\n"
        "local is = redis.call('HMGET', broadcast, 'state', 'superseded')\n"
        "if is[1] ~= 'queued' and is[1] ~= 'running' then return 0 end\n"
        "if not is[2] or tonumber(is[2]) > tonumber(time) then redis.call('HSET', broadcast, 'superseded', time) end\n"
        "return 1\n";
}

const char *store_script_take_last_timestamp(void) {
    return
        PART_timestamps
        PART_write_rights
        "local activity = KEYS[1]\n"
        "local now, slot = ARGV[1], ARGV[2]\n"
        "local timestamp = math.max(math.floor(now / 1000), (tonumber(redis.call('HGET', activity, 'timestamp')) or 0) + 1)\n"
        "require_writes(activity, 'PEXPIRE')\n"
        "note_timestamp(activity, tonumber(now), timestamp, { slot }, true)\n"
        "return timestamp\n";
}

const char *store_script_begin_channel(void) {
    return
        PART_write_rights
        "local intents, listing = KEYS[1], KEYS[2]\n"
        "local intent, now, since, limit = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "require_writes(intents, 'HINCRBY', 'ZADD')\n"
        "local lost = redis.call('ZREMRANGEBYSCORE', intents, '-inf', '(' .. since)\n"
        "if lost > 0 then redis.call('HINCRBY', listing, 'lost', lost) end\n"
        "if redis.call('ZCARD', intents) >= tonumber(limit) then return 0 end\n"
        "redis.call('ZADD', intents, now, intent)\n"
        "return 1\n";
}

const char *store_script_doom_channel(void) {
    return
        "local used, takers, doomed = KEYS[1], KEYS[2], KEYS[3]\n"
        "local channel, taker, taken_at, at = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "if redis.call('HGET', used, channel) ~= taker .. ' ' .. taken_at then return 0 end\n"
        "redis.call('ZADD', doomed, at, channel)\n"
        "if redis.call('HGET', takers, taker) == channel then redis.call('HDEL', takers, taker) end\n"
        "redis.call('HDEL', used, channel)\n"
        "return 1\n";
}

const char *store_script_drop_channel(void) {
    return
        PART_write_rights
        "local activity = KEYS[1]\n"
        "local channel = ARGV[1]\n"
        "local kept, lost = {}, {}\n"
        "for entry in string.gmatch(redis.call('HGET', activity, 'channels') or '', '[^,]+') do\n"
        "    local kind, address = string.match(entry, '^(%d+)=!?(.*)$')\n"
        "    if address == channel then lost[#lost + 1] = kind else kept[#kept + 1] = entry end\n"
        "end\n"
        "if #lost == 0 then return 0 end\n"
        "if #kept == 0 then require_writes(activity, 'HDEL') end\n"
        "lost[#lost + 1] = redis.call('HGET', activity, 'lost_channels') or nil\n"
        "redis.call('HSET', activity, 'lost_channels', table.concat(lost, ','))\n"
        "if #kept == 0 then\n"
        "    redis.call('HDEL', activity, 'channels')\n"
        "else\n"
        "    redis.call('HSET', activity, 'channels', table.concat(kept, ','))\n"
        "end\n"
        "return 1\n";
}

const char *store_script_forget_channels(void) {
    return
        PART_write_rights
        "local pool, used, takers, doomed, strangers = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]\n"
        "local channels_at = 1\n"
        "require_writes(used, 'HDEL', 'ZREM')\n"
        "local known = 0\n"
        "for i = channels_at, #ARGV do\n"
        "    local channel = ARGV[i]\n"
        "    local is = redis.call('HGET', used, channel)\n"
        "    if is then\n"
        "        local taker = is:match('^(%S+) ')\n"
        "        if taker and redis.call('HGET', takers, taker) == channel then redis.call('HDEL', takers, taker) end\n"
        "    end\n"
        "    known = known + redis.call('HDEL', used, channel) + redis.call('ZREM', pool, channel)\n"
        "        + redis.call('ZREM', doomed, channel) + redis.call('ZREM', strangers, channel)\n"
        "end\n"
        "return known\n";
}

const char *store_script_note_strangers(void) {
    return
        "local strangers, listing = KEYS[1], KEYS[2]\n"
        "local now, count, channels_at = ARGV[1], ARGV[2], 3\n"
        "local seen = {}\n"
        "for i = channels_at, #ARGV do seen[ARGV[i]] = true end\n"
        "for _, channel in ipairs(redis.call('ZRANGE', strangers, 0, -1)) do\n"
        "    if not seen[channel] then redis.call('ZREM', strangers, channel) end\n"
        "end\n"
        "for i = channels_at, #ARGV do redis.call('ZADD', strangers, 'NX', now, ARGV[i]) end\n"
        "redis.call('HSET', listing, 'count', count, 'at', now)\n"
        "return 1\n";
}

const char *store_script_put_channel(void) {
    return
        "local pool, used, takers, doomed, intents, strangers = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]\n"
        "local channel, intent, taker, keeps, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\n"
        "redis.call('ZREM', intents, intent)\n"
        "redis.call('ZREM', strangers, channel)\n"
        "local is_known = redis.call('HEXISTS', used, channel) == 1 or redis.call('ZSCORE', doomed, channel)\n"
        "local own = taker ~= '' and redis.call('HGET', takers, taker)\n"
        "if taker == '' or own then\n"
        "    if not is_known and own ~= channel then\n"
        "        redis.call('ZADD', keeps == '1' and pool or doomed, now, channel)\n"
        "    end\n"
        "    return own or channel\n"
        "end\n"
        "redis.call('HSET', takers, taker, channel)\n"
        "redis.call('HSET', used, channel, taker .. ' ' .. now)\n"
        "return channel\n";
}

const char *store_script_take_channel(void) {
    return
        PART_write_rights
        "local pool, used, takers = KEYS[1], KEYS[2], KEYS[3]\n"
        "local taker, keeps, now = ARGV[1], ARGV[2], ARGV[3]\n"
        "local channel = redis.call('HGET', takers, taker)\n"
        "if not channel and keeps == '1' then\n"
        "    require_writes(pool, 'HSET')\n"
        "    channel = redis.call('ZPOPMIN', pool)[1]\n"
        "end\n"
        "if not channel then return false end\n"
        "redis.call('HSET', takers, taker, channel)\n"
        "redis.call('HSET', used, channel, taker .. ' ' .. now)\n"
        "return channel\n";
}

const char *store_script_claim_token(void) {
    return
        PART_report_times
        PART_token_claims
        "local bucket = KEYS[1]\n"
        "local field, owner, time, capacity = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local is = redis.call('HGET', bucket, field)\n"
        "if not is then\n"
        "    if capacity ~= '' then\n"
        "        if redis.call('HEXISTS', bucket, 'f') == 1 then return -2 end\n"
        "        if redis.call('HLEN', bucket) >= tonumber(capacity) then\n"
        "            redis.call('HSET', bucket, 'f', '')\n"
        "            return -2\n"
        "        end\n"
        "    end\n"
        "    redis.call('HSET', bucket, field, time .. string.char(#owner) .. owner)\n"
        "    return { 1, {} }\n"
        "end\n"
        "local formers, entry = claimed(is, owner, time)\n"
        "if entry then redis.call('HSET', bucket, field, entry) end\n"
        "return formers and { 1, formers } or -1\n";
}

const char *store_script_claim_tokens(void) {
    return
        PART_report_times
        PART_token_claims
        "local bucket = KEYS[1]\n"
        "local capacity, tokens_at = ARGV[1], 2\n"
        "local fields = {}\n"
        "local count = 0\n"
        "for place = tokens_at, #ARGV, 2 do\n"
        "    count = count + 1\n"
        "    fields[count] = ARGV[place]\n"
        "end\n"
        "fields[count + 1] = 'f'\n"
        "local is = redis.call('HMGET', bucket, unpack(fields))\n"
        "local room = count\n"
        "if is[count + 1] then\n"
        "    room = 0\n"
        "elseif capacity ~= '' then\n"
        "    room = tonumber(capacity) - redis.call('HLEN', bucket)\n"
        "end\n"
        "local is_plain = room >= count\n"
        "for index = 1, count do\n"
        "    if is[index] then\n"
        "        is_plain = false\n"
        "        break\n"
        "    end\n"
        "end\n"
        "if is_plain then\n"
        "    redis.call('HSET', bucket, unpack(ARGV, tokens_at))\n"
        "    return 1\n"
        "end\n"
        "local reported = time_of(ARGV[tokens_at + 1], 1)\n"
        "local formers, lost, full, entries, is_undisputed = {}, {}, {}, {}, true\n"
        "for index = 1, count do\n"
        "    local fresh = ARGV[tokens_at + 2 * index - 1]\n"
        "    local taken, entry = {}, nil\n"
        "    if is[index] and string.sub(is[index], 7) == string.sub(fresh, 7) then\n"
        "        if not is_newer(is[index], 1, reported) then entry = fresh end\n"
        "    elseif is[index] then\n"
        "        taken, entry = claimed(is[index], string.sub(fresh, 8), string.sub(fresh, 1, 6))\n"
        "        if not taken then lost[#lost + 1] = index - 1 end\n"
        "    elseif room > 0 then\n"
        "        room = room - 1\n"
        "        entry = fresh\n"
        "    else\n"
        "        full[#full + 1] = index - 1\n"
        "    end\n"
        "    formers[index] = taken or {}\n"
        "    if #formers[index] > 0 then is_undisputed = false end\n"
        "    if entry then\n"
        "        entries[#entries + 1] = fields[index]\n"
        "        entries[#entries + 1] = entry\n"
        "    end\n"
        "end\n"
        "if #full > 0 and not is[count + 1] then\n"
        "    entries[#entries + 1] = 'f'\n"
        "    entries[#entries + 1] = ''\n"
        "end\n"
        "if #entries > 0 then redis.call('HSET', bucket, unpack(entries)) end\n"
        "return is_undisputed and #lost + #full == 0 and 1 or { 0, formers, lost, full }\n";
}

const char *store_script_drop_token(void) {
    return
        PART_report_times
        PART_write_rights
        "local user = KEYS[1]\n"
        "local latest, token, fields_at = ARGV[1], ARGV[2], 3\n"
        "local dropped = 0\n"
        "for position = fields_at, #ARGV do\n"
        "    local value = redis.call('HGET', user, ARGV[position])\n"
        "    if value and string.sub(value, 7) == token and time_of(value, 1) <= tonumber(latest) then\n"
        "        require_writes(user, 'HDEL', 'HINCRBY', 'HSET')\n"
        "        redis.call('HINCRBY', user, 'v', 1)\n"
        "        dropped = dropped + redis.call('HDEL', user, ARGV[position])\n"
        "        local last = 2\n"
        "        while (string.byte(ARGV[position], last) or 0) >= 128 do last = last + 1 end\n"
        "        redis.call('HSET', user, 'r' .. string.sub(ARGV[position], 2, last) .. token, '')\n"
        "    end\n"
        "end\n"
        "return dropped\n";
}

const char *store_script_import_devices(void) {
    return
        PART_report_times
        PART_first_device
        "local topics, erasing, users_at = KEYS[1], KEYS[2], 3\n"
        "local asks, devices_at = ARGV[1], 2\n"
        "local call, users, values = redis.call, KEYS, ARGV\n"
        "local is_plain = asks == '1' and call('EXISTS', unpack(users, users_at)) == 0\n"
        "if is_plain and call('EXISTS', topics, erasing) > 0 then\n"
        "    local names = {}\n"
        "    for number = users_at, #users do\n"
        "        names[#names + 1] = users[number] .. ':x'\n"
        "        names[#names + 1] = users[number] .. ':z'\n"
        "    end\n"
        "    is_plain = call('EXISTS', unpack(names)) == 0\n"
        "end\n"
        "local reported = time_of(values[devices_at + 1], 3)\n"
        "local function says_again(user, at)\n"
        "    local value, token = values[at + 1], values[at + 3]\n"
        "    local is\n"
        "    if token == '' then\n"
        "        is = call('HMGET', user, values[at], 'c\\1')\n"
        "    else\n"
        "        is = call('HMGET', user, values[at], 'c\\1', values[at + 2])\n"
        "    end\n"
        "    local old, is_pending, old_token = is[1], is[2], is[3]\n"
        "    if not old then return false, false end\n"
        "    if #old ~= #value or string.sub(old, 1, 2) ~= string.sub(value, 1, 2) or string.sub(old, 9) ~= string.sub(value, 9)\n"
        "        or is_newer(old, 3, reported) or is_pending then\n"
        "        return true, false\n"
        "    end\n"
        "    if string.byte(old, 8) >= 64 then\n"
        "        local mark = math.floor(string.byte(old, 8) / 64) * 64\n"
        "        value = string.sub(value, 1, 7) .. string.char(string.byte(value, 8) + mark) .. string.sub(value, 9)\n"
        "    end\n"
        "    if token == '' then\n"
        "        call('HSET', user, values[at], value)\n"
        "        return true, true\n"
        "    end\n"
        "    if not old_token or string.byte(old_token, 6) >= 64 or string.sub(old_token, 7) ~= string.sub(token, 7)\n"
        "        or is_newer(old_token, 1, reported) then\n"
        "        return true, false\n"
        "    end\n"
        "    call('HSET', user, values[at], value, values[at + 2], token)\n"
        "    return true, true\n"
        "end\n"
        "local left, same = {}, {}\n"
        "local at = devices_at\n"
        "for number = users_at, #users do\n"
        "    local user = users[number]\n"
        "    local is_there, is_same = false, false\n"
        "    if not is_plain then is_there, is_same = says_again(user, at) end\n"
        "    if is_same then\n"
        "        same[#same + 1] = number - users_at\n"
        "    elseif is_there or not is_plain and not is_unknown(user) then\n"
        "        left[#left + 1] = number - users_at\n"
        "    elseif values[at + 2] == '' then\n"
        "        call('HSET', user, 'v', '1', values[at], values[at + 1])\n"
        "    else\n"
        "        call('HSET', user, 'v', '1', values[at], values[at + 1], values[at + 2], values[at + 3])\n"
        "    end\n"
        "    at = at + 4\n"
        "end\n"
        "return { left, same }\n";
}

const char *store_script_mark_reached(void) {
    return
        PART_device_marks
        "local user = KEYS[1]\n"
        "local field = ARGV[1]\n"
        "local value = redis.call('HGET', user, field)\n"
        "local reached = value and marked(value, 64)\n"
        "if not reached then return 0 end\n"
        "redis.call('HSET', user, field, reached)\n"
        "return 1\n";
}

const char *store_script_mark_token(void) {
    return
        PART_report_times
        "local user = KEYS[1]\n"
        "local number, token, latest, mark = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local prefix, latest, mark = 't' .. number, time_of(latest, 1), tonumber(mark)\n"
        "local all, version, is_member, changes = redis.call('HGETALL', user), 0, false, {}\n"
        "for index = 1, #all, 2 do\n"
        "    local name, value = all[index], all[index + 1]\n"
        "    if name == 'v' then\n"
        "        version = tonumber(value)\n"
        "    elseif string.sub(name, 1, 1) == 'm' then\n"
        "        is_member = true\n"
        "    elseif string.sub(name, 1, #prefix) == prefix and string.sub(value, 7) == token\n"
        "        and time_of(value, 1) <= latest then\n"
        "        local top = string.byte(value, 6)\n"
        "        if math.floor(top / mark) % 2 == 0 then\n"
        "            local marked = string.sub(value, 1, 5) .. string.char(top + mark) .. string.sub(value, 7)\n"
        "            changes[#changes + 1], changes[#changes + 2] = name, marked\n"
        "        end\n"
        "    end\n"
        "end\n"
        "if #changes == 0 then return 0 end\n"
        "redis.call('HSET', user, 'v', string.format('%.0f', version + 1), unpack(changes))\n"
        "return is_member and { 2, redis.call('HGETALL', user) } or 1\n";
}

const char *store_script_note_hand_over(void) {
    return
        PART_device_marks
        "local user = KEYS[1]\n"
        "local device, entries_at = ARGV[1], 2\n"
        "local record = redis.call('HGET', user, device)\n"
        "if not record then return 0 end\n"
        "redis.call('HSET', user, device, marked(record, 128) or record, unpack(ARGV, entries_at))\n"
        "redis.call('HINCRBY', user, 'v', 1)\n"
        "return 1\n";
}

const char *store_script_put_device(void) {
    return
        PART_report_times
        PART_first_device
        "local user = KEYS[1]\n"
        "local field, record, type, token, time, may, most, life = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]\n"
        "local function number_of(value)\n"
        "    local length = 1\n"
        "    while (string.byte(value, length) or 0) >= 128 do length = length + 1 end\n"
        "    return string.sub(value, 1, length)\n"
        "end\n"
        "local function varint(number)\n"
        "    local bytes = ''\n"
        "    while number >= 128 do\n"
        "        bytes = bytes .. string.char(number % 128 + 128)\n"
        "        number = math.floor(number / 128)\n"
        "    end\n"
        "    return bytes .. string.char(number)\n"
        "end\n"
        "local function has_most(kind, number, fields)\n"
        "    if redis.call('HLEN', user) < fields then return false end\n"
        "    for _, name in ipairs(redis.call('HKEYS', user)) do\n"
        "        if string.sub(name, 1, 1) == kind then number = number - 1 end\n"
        "    end\n"
        "    return number <= 0\n"
        "end\n"
        "local function has_hand_overs(number)\n"
        "    local kind = 'h' .. number\n"
        "    for _, name in ipairs(redis.call('HKEYS', user)) do\n"
        "        if string.sub(name, 1, #kind) == kind then return true end\n"
        "    end\n"
        "    return false\n"
        "end\n"
        "local reported = time_of(time, 1)\n"
        "local old, last_version = unpack(redis.call('HMGET', user, field, 'v'))\n"
        "if not old and may == 'u' and record ~= '' and tonumber(most) > 0 and is_unknown(user) then\n"
        "    if is_too_old(reported, life) then return -8 end\n"
        "    make_first_device(user, field, record, type, token, time)\n"
        "    return 3\n"
        "end\n"
        "if not old then\n"
        "    local erased = redis.call('HMGET', user .. ':x', '', field)\n"
        "    if erased[1] and is_newer(erased[1], 1, reported - 1) or erased[2] and is_newer(erased[2], 1, reported - 1) then\n"
        "        return -3\n"
        "    end\n"
        "    if is_too_old(reported, life) then return -8 end\n"
        "end\n"
        "local number = old and number_of(old) or ''\n"
        "local format = old and string.byte(old, #number + 1) or 0\n"
        "local is_timed = format >= 64\n"
        "local function kind_of(first) return first % 2 == 1 and 2 or math.floor(first / 16) % 2 end\n"
        "local puts_record = record ~= '' and not (is_timed and is_newer(old, #number + 2, reported))\n"
        "local changes_record = puts_record\n"
        "    and not (is_timed and string.char(32 + format % 32) .. string.sub(old, #number + 8) == record)\n"
        "local old_token = number ~= '' and token ~= '' and redis.call('HGET', user, 't' .. number .. type)\n"
        "local puts_token = token ~= '' and not (old_token and is_newer(old_token, 1, reported))\n"
        "local changes_token = puts_token\n"
        "    and not (old_token and string.byte(old_token, 6) < 64 and string.sub(old_token, 7) == token)\n"
        "if not puts_record and not puts_token then return -2 end\n"
        "local is_change = changes_record or changes_token\n"
        "if not old then\n"
        "    if may == '' then return -4 end\n"
        "    if may == 'd' and redis.call('HEXISTS', user, 'v') == 0 then return -5 end\n"
        "    if has_most('d', tonumber(most), tonumber(most)) then return -6 end\n"
        "end\n"
        "if changes_token and not old_token and has_most('t', 256, 512) then return -7 end\n"
        "local version = is_change and (tonumber(last_version) or 0) + 1\n"
        "local value\n"
        "if puts_record then\n"
        "    local first = string.byte(record, 1)\n"
        "    local has_changed = format >= 96 or format > 0 and kind_of(format) ~= kind_of(first)\n"
        "    local mark = is_timed and math.floor(string.byte(old, #number + 7) / 64) * 64\n"
        "        or number ~= '' and has_hand_overs(number) and 128 or 0\n"
        "    value = string.char(first + (has_changed and 64 or 32)) .. string.sub(time, 1, 5)\n"
        "        .. string.char(string.byte(time, 6) + mark) .. string.sub(record, 2)\n"
        "end\n"
        "if number == '' then\n"
        "    number = varint(version)\n"
        "    value = value or ''\n"
        "end\n"
        "local changes = {}\n"
        "local function change(name, new) changes[#changes + 1], changes[#changes + 2] = name, new end\n"
        "if is_change then change('v', string.format('%.0f', version)) end\n"
        "if value then change(field, number .. value) end\n"
        "if puts_token then change('t' .. number .. type, time .. token) end\n"
        "redis.call('HSET', user, unpack(changes))\n"
        "local is_pending = not is_change and redis.call('HEXISTS', user, 'c' .. number) == 1\n"
        "if not is_change and not is_pending then return 0 end\n"
        "local is_follower = redis.call('EXISTS', user .. ':y', user .. ':z') > 0\n"
        "local made = not old and (version == 1 and 3 or 2) or 1\n"
        "if version == 1 and not is_follower then return made end\n"
        "local all, is_member = redis.call('HGETALL', user), is_follower\n"
        "local present, replaced, gone = {}, {}, {}\n"
        "for index = 1, #all, 2 do\n"
        "    local kind, is_devices = string.sub(all[index], 1, 1), string.sub(all[index], 2, 1 + #number) == number\n"
        "    if kind == 'm' then\n"
        "        is_member = true\n"
        "    elseif kind == 't' and is_devices then\n"
        "        present[string.sub(all[index + 1], 7)] = true\n"
        "    elseif kind == 'r' and is_devices then\n"
        "        replaced[#replaced + 1] = string.sub(all[index], 2 + #number)\n"
        "    end\n"
        "end\n"
        "if changes_token and old_token and not present[string.sub(old_token, 7)] then\n"
        "    local last = string.sub(old_token, 7)\n"
        "    redis.call('HSET', user, 'r' .. number .. last, '')\n"
        "    gone[1] = 'r' .. number .. last\n"
        "    present[last] = true\n"
        "end\n"
        "for _, token in ipairs(replaced) do\n"
        "    if not present[token] then gone[#gone + 1] = 'r' .. number .. token end\n"
        "end\n"
        "if is_pending and not is_member then redis.call('HDEL', user, 'c' .. number) end\n"
        "if not is_member and #gone == 0 then return made end\n"
        "if is_member and is_change then\n"
        "    redis.call('HSET', user, 'c' .. number, version)\n"
        "    all[#all + 1] = 'c' .. number\n"
        "    all[#all + 1] = tostring(version)\n"
        "end\n"
        "return { 4, made > 1 and 1 or 0, made == 3 and 1 or 0, gone, is_member and all or {} }\n";
}

const char *store_script_release_token(void) {
    return
        PART_report_times
        "local bucket = KEYS[1]\n"
        "local field, latest, by = ARGV[1], ARGV[2], ARGV[3]\n"
        "local is = redis.call('HGET', bucket, field)\n"
        "if not is then return 0 end\n"
        "local length = string.byte(is, 7)\n"
        "local owner, formers = string.sub(is, 8, 7 + length), string.sub(is, 8 + length)\n"
        "if owner ~= by then return 0 end\n"
        "local last = string.byte(is, 6)\n"
        "local is_owners = last < 64\n"
        "if is_owners and latest ~= '' and time_of(is, 1) > time_of(latest, 1) then return 0 end\n"
        "if formers == '' then return redis.call('HDEL', bucket, field) end\n"
        "redis.call('HSET', bucket, field, string.sub(is, 1, 5) .. string.char(last % 64 + 64) .. formers)\n"
        "return 1\n";
}

const char *store_script_settle_token(void) {
    return
        "local bucket = KEYS[1]\n"
        "local field, former = ARGV[1], ARGV[2]\n"
        "local is = redis.call('HGET', bucket, field)\n"
        "if not is then return 0 end\n"
        "local at = 8 + string.byte(is, 7)\n"
        "while at <= #is do\n"
        "    local length = string.byte(is, at)\n"
        "    if string.sub(is, at + 1, at + length) == former then\n"
        "        local rest = string.sub(is, at + 1 + length)\n"
        "        redis.call('HSET', bucket, field, string.sub(is, 1, at - 1) .. rest)\n"
        "        return 1\n"
        "    end\n"
        "    at = at + 1 + length\n"
        "end\n"
        "return 0\n";
}

const char *store_script_conclude_erasure(void) {
    return
        PART_in_slices
        "local aside, open = KEYS[1], KEYS[2]\n"
        "local kept, item, fields_at = ARGV[1], ARGV[2], 3\n"
        "redis.call('DEL', aside)\n"
        "redis.call('HDEL', open, item)\n"
        "if #ARGV >= fields_at then\n"
        "    local fields = {}\n"
        "    for index = fields_at, #ARGV do fields[#fields + 1] = ARGV[index] end\n"
        "    in_slices(fields, function(...) redis.call('HSET', aside, ...) end)\n"
        "    redis.call('PEXPIRE', aside, kept)\n"
        "end\n"
        "return 1\n";
}

const char *store_script_note_leaving(void) {
    return
        PART_write_rights
        "local activity, driven, left, leaving = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\n"
        "local erased, user, devices, users, kept = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\n"
        "if redis.call('EXISTS', activity) == 0 then return 0 end\n"
        "if devices ~= '0' then require_writes(activity, 'HINCRBY') end\n"
        "if devices ~= '0' and redis.call('SET', left, '', 'NX', 'PX', kept) and redis.call('HEXISTS', leaving, erased) == 0 then\n"
        "    redis.call('HINCRBY', activity, 'devices', -tonumber(devices))\n"
        "    if users ~= '0' then redis.call('HINCRBY', activity, 'users', -tonumber(users)) end\n"
        "end\n"
        "if user ~= '' then\n"
        "    redis.call('HDEL', leaving, user)\n"
        "    redis.call('HDEL', driven, user)\n"
        "    if redis.call('HGET', activity, 'external_owner') == user then redis.call('HDEL', activity, 'external_owner') end\n"
        "end\n"
        "return 1\n";
}

const char *store_script_note_members(void) {
    return
        "local aside = KEYS[1]\n"
        "local place, field, members = ARGV[1], ARGV[2], ARGV[3]\n"
        "if redis.call('HEXISTS', aside, place) == 0 then return 0 end\n"
        "redis.call('HSETNX', aside, field, members)\n"
        "return tonumber(redis.call('HGET', aside, field))\n";
}

const char *store_script_set_aside(void) {
    return
        PART_in_slices
        PART_report_times
        PART_write_rights
        "local user, aside, erased, follows, waiting, opened, open = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]\n"
        "local field, udid, meant, now, kept, remembered, item = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]\n"
        "local function has_room()\n"
        "    if redis.call('HLEN', erased) < 256 then return true end\n"
        "    local marks, count = redis.call('HGETALL', erased), 0\n"
        "    for index = 1, #marks, 2 do\n"
        "        if time_of(marks[index + 1], 1) + remembered < time_of(now, 1) then\n"
        "            redis.call('HDEL', erased, marks[index])\n"
        "        else\n"
        "            count = count + 1\n"
        "        end\n"
        "    end\n"
        "    return count < 256\n"
        "end\n"
        "local function first_varint(value, at)\n"
        "    local last = at\n"
        "    while (string.byte(value, last) or 0) >= 128 do last = last + 1 end\n"
        "    return string.sub(value, at, last), last + 1\n"
        "end\n"
        "local record = field ~= '' and redis.call('HGET', user, field)\n"
        "local number = record and first_varint(record, 1)\n"
        "if meant ~= '' and meant ~= number then return { 0, 0 } end\n"
        "require_writes(user, 'DEL', 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE')\n"
        "local all = redis.call('HGETALL', user)\n"
        "if has_room() and #all > 0 or field == '' or record then\n"
        "    redis.call('HSET', erased, field, now)\n"
        "    redis.call('PEXPIRE', erased, remembered)\n"
        "end\n"
        "local others = redis.call('HKEYS', open)\n"
        "local function reply(devices, users)\n"
        "    local taken = { devices, users }\n"
        "    for _, other in ipairs(others) do taken[#taken + 1] = other end\n"
        "    return taken\n"
        "end\n"
        "if field ~= '' and not record then return reply(0, 0) end\n"
        "redis.call('HSET', open, item, now)\n"
        "redis.call('PEXPIRE', open, kept)\n"
        "local function keep(...) redis.call('HSET', aside, ...) end\n"
        "local devices = 0\n"
        "for index = 1, #all, 2 do\n"
        "    if string.sub(all[index], 1, 1) == 'd' then devices = devices + 1 end\n"
        "end\n"
        "if field == '' or meant == '' and devices == 1 and redis.call('HEXISTS', user, 'w') == 0 then\n"
        "    in_slices(#all > 0 and all or { 'v', '0' }, keep)\n"
        "    redis.call('PEXPIRE', aside, kept)\n"
        "    redis.call('DEL', user, opened)\n"
        "    if field == '' then redis.call('DEL', follows, waiting) end\n"
        "    return reply(devices, #all > 0 and 1 or 0)\n"
        "end\n"
        "local taken, gone, left = {}, {}, {}\n"
        "local function take(name, value)\n"
        "    taken[#taken + 1] = name\n"
        "    taken[#taken + 1] = value\n"
        "end\n"
        "local function take_part(name, value)\n"
        "    local at, of_device, of_others = 3, '', ''\n"
        "    while at <= #value do\n"
        "        local device, next_at = first_varint(value, at)\n"
        "        local _, end_at = first_varint(value, next_at)\n"
        "        local entry = string.sub(value, at, end_at - 1)\n"
        "        if device == number then of_device = of_device .. entry else of_others = of_others .. entry end\n"
        "        at = end_at\n"
        "    end\n"
        "    if of_device == '' then return end\n"
        "    if of_others == '' then\n"
        "        gone[#gone + 1] = name\n"
        "        return take(name, value)\n"
        "    end\n"
        "    local days = string.sub(value, 1, 2)\n"
        "    take('p' .. string.sub(name, 2), days .. of_device)\n"
        "    left[#left + 1] = name\n"
        "    left[#left + 1] = days .. of_others\n"
        "end\n"
        "for index = 1, #all, 2 do\n"
        "    local name, value = all[index], all[index + 1]\n"
        "    local kind = string.sub(name, 1, 1)\n"
        "    if kind == 'm' then\n"
        "        take_part(name, value)\n"
        "    elseif kind == 'd' and name == field\n"
        "        or (kind == 't' or kind == 'r' or kind == 'c') and string.sub(name, 2, 1 + #number) == number\n"
        "        or kind == 's' and string.sub(value, 17, 16 + #udid) == udid\n"
        "            and (string.byte(value, 17 + #udid) or 0) == 0 then\n"
        "        gone[#gone + 1] = name\n"
        "        take(name, value)\n"
        "    end\n"
        "end\n"
        "in_slices(taken, keep)\n"
        "redis.call('PEXPIRE', aside, kept)\n"
        "in_slices(left, function(...) redis.call('HSET', user, ...) end)\n"
        "in_slices(gone, function(...) redis.call('HDEL', user, ...) end)\n"
        "redis.call('HINCRBY', user, 'v', 1)\n"
        "return reply(1, 0)\n";
}

const char *store_script_add_webhook(void) {
    return
        PART_event_switch
        "local settings, webhook = KEYS[1], KEYS[2]\n"
        "local id, most, types, fields_at = ARGV[1], ARGV[2], ARGV[3], 4\n"
        "local count = 0\n"
        "for _, name in ipairs(redis.call('HKEYS', settings)) do\n"
        "    if string.match(name, '^[wx]:') then count = count + 1 end\n"
        "end\n"
        "if count >= tonumber(most) then return 0 end\n"
        "redis.call('HSET', settings, 'w:' .. id, types)\n"
        "redis.call('HSET', webhook, 'types', types, 'enabled', '1', unpack(ARGV, fields_at))\n"
        "switch(settings)\n"
        "return 1\n";
}

const char *store_script_change_webhook(void) {
    return
        PART_event_switch
        "local webhook, settings = KEYS[1], KEYS[6]\n"
        "local id, url, types, enabled = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "if redis.call('EXISTS', webhook) == 0 then return 0 end\n"
        "if url ~= '' then redis.call('HSET', webhook, 'url', url) end\n"
        "if types ~= '' then redis.call('HSET', webhook, 'types', types) end\n"
        "if enabled ~= '' then redis.call('HSET', webhook, 'enabled', enabled) end\n"
        "redis.call('HSET', webhook, 'failures', 0)\n"
        "local is = redis.call('HMGET', webhook, 'types', 'enabled')\n"
        "redis.call('HDEL', settings, 'w:' .. id, 'x:' .. id)\n"
        "if is[2] == '1' then redis.call('HDEL', webhook, 'reason') end\n"
        "redis.call('HSET', settings, (is[2] == '1' and 'w:' or 'x:') .. id, is[1])\n"
        "switch(settings)\n"
        "return 1\n";
}

const char *store_script_delete_webhook(void) {
    return
        PART_dead_letters
        PART_event_switch
        PART_write_rights
        "local webhook, queue, arrivals, tries, dead_letters, settings, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]\n"
        "local id, event_prefix, remembered, most = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "require_writes(settings, 'DEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'ZREM')\n"
        "local is_known = redis.call('HDEL', settings, 'w:' .. id, 'x:' .. id) > 0\n"
        "if redis.call('EXISTS', webhook, queue, arrivals, tries, dead_letters) == 0 then\n"
        "    return is_known and 1 or -1\n"
        "end\n"
        "if is_known then switch(settings) end\n"
        "for _, list in ipairs({ queue, dead_letters }) do\n"
        "    for _, event in ipairs(redis.call('ZRANGE', list, 0, most - 1)) do\n"
        "        redis.call('ZREM', list, event)\n"
        "        release(event_prefix, event, remembered)\n"
        "    end\n"
        "end\n"
        "if redis.call('EXISTS', queue, dead_letters) > 0 then return 0 end\n"
        "redis.call('DEL', webhook, queue, arrivals, tries, dead_letters, attempts)\n"
        "return 1\n";
}

const char *store_script_find_deliveries_of_user(void) {
    return
        "local list = KEYS[1]\n"
        "local event_prefix, first, last, text = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local ids = redis.call('ZRANGE', list, first, last)\n"
        "local found = {}\n"
        "for _, id in ipairs(ids) do\n"
        "    local data = redis.call('HGET', event_prefix .. id, 'data')\n"
        "    if data and string.find(data, text, 1, true) then\n"
        "        found[#found + 1] = id\n"
        "        found[#found + 1] = data\n"
        "    end\n"
        "end\n"
        "return { #ids, found }\n";
}

const char *store_script_find_events_of_user(void) {
    return
        "local event_stream = KEYS[1]\n"
        "local after, count, text = ARGV[1], ARGV[2], ARGV[3]\n"
        "local last, count_read, size, places, events = '', 0, 0, {}, {}\n"
        "for _, entry in ipairs(redis.call('XRANGE', event_stream, '(' .. after, '+', 'COUNT', count)) do\n"
        "    last, count_read = entry[1], count_read + 1\n"
        "    for index = 1, #entry[2], 2 do\n"
        "        if entry[2][index] == 'data' then\n"
        "            size = size + #entry[2][index + 1]\n"
        "            if string.find(entry[2][index + 1], text, 1, true) then\n"
        "                places[#places + 1] = entry[1]\n"
        "                events[#events + 1] = entry[2]\n"
        "            end\n"
        "        end\n"
        "    end\n"
        "end\n"
        "return { last, count_read, size, places, events }\n";
}

const char *store_script_find_unpublished_pages(void) {
    return
        "local untold = KEYS[1]\n"
        "local most = ARGV[1]\n"
        "local found = {}\n"
        "for _, field in ipairs(redis.call('HKEYS', untold)) do\n"
        "    if #found >= 2 * most then break end\n"
        "    found[#found + 1] = field\n"
        "    found[#found + 1] = redis.call('HGET', untold, field)\n"
        "end\n"
        "return found\n";
}

const char *store_script_forget_delivery(void) {
    return
        PART_dead_letters
        PART_write_rights
        "local webhook = KEYS[1]\n"
        "local event_prefix, id, data, remembered = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "if data ~= '' then\n"
        "    if redis.call('HEXISTS', event_prefix .. id, 'data') == 0 then return 0 end\n"
        "    redis.call('HSET', event_prefix .. id, 'data', data)\n"
        "    return 1\n"
        "end\n"
        "require_writes(webhook, 'HDEL', 'HINCRBY', 'PEXPIRE')\n"
        "local count = redis.call('ZREM', webhook .. ':q', id) + redis.call('ZREM', webhook .. ':d', id)\n"
        "redis.call('ZREM', webhook .. ':b', id)\n"
        "redis.call('HDEL', webhook .. ':n', id)\n"
        "if count == 0 then return 0 end\n"
        "release(event_prefix, id, remembered)\n"
        "return 1\n";
}

const char *store_script_lease_deliveries(void) {
    return
        "local settings, lease = KEYS[1], KEYS[2]\n"
        "local gateway, lifetime, webhook_prefix, now, given_up_before, forgotten_before = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "local holder = redis.call('GET', lease)\n"
        "if holder and holder ~= gateway then return false end\n"
        "local found, is_any, pause = {}, '0', nil\n"
        "for _, name in ipairs(redis.call('HKEYS', settings)) do\n"
        "    if string.match(name, '^[wx]:') then is_any = '1' end\n"
        "    if string.sub(name, 1, 2) == 'w:' then\n"
        "        local webhook, is_due = webhook_prefix .. string.sub(name, 3), false\n"
        "        local queues = { { webhook .. ':q', now }, { webhook .. ':b', given_up_before },\n"
        "            { webhook .. ':d', forgotten_before } }\n"
        "        if redis.call('EXISTS', queues[1][1], queues[2][1], queues[3][1]) == 0 then queues = {} end\n"
        "        for _, queue in ipairs(queues) do\n"
        "            local first = redis.call('ZRANGE', queue[1], 0, 0, 'WITHSCORES')[2]\n"
        "            local left = first and tonumber(first) - tonumber(queue[2])\n"
        "            if left then\n"
        "                if left <= 0 then is_due = true else pause = math.min(pause or left, left) end\n"
        "            end\n"
        "        end\n"
        "        if is_due then found[#found + 1] = string.sub(name, 3) end\n"
        "    end\n"
        "end\n"
        "if #found > 0 then redis.call('SET', lease, gateway, 'PX', lifetime) end\n"
        "return { is_any, pause or false, unpack(found) }\n";
}

const char *store_script_publish_events(void) {
    return
        PART_dead_letters
        PART_event_places
        PART_write_rights
        "local settings, event_stream, device_stream = KEYS[1], KEYS[2], KEYS[3]\n"
        "local event_prefix, webhook_prefix, length, most_waiting, most_dead_letters, remembered, kept, now, only, source, events_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], 11\n"
        "local all = redis.call('HGETALL', settings)\n"
        "local stream, webhooks = false, {}\n"
        "for index = 1, #all, 2 do\n"
        "    local name, value = all[index], all[index + 1]\n"
        "    if name == 'stream' then\n"
        "        stream = value == '1' and only == ''\n"
        "    elseif string.sub(name, 1, 2) == 'w:' and (only == '' or only == string.sub(name, 3)) then\n"
        "        webhooks[#webhooks + 1] = { webhook_prefix .. string.sub(name, 3), ',' .. value .. ',' }\n"
        "    end\n"
        "end\n"
        "if not stream and #webhooks == 0 then return 0 end\n"
        "local of_device = source == 'device'\n"
        "local part = of_device and 2 or 1\n"
        "if stream and of_device then require_writes(event_stream, 'XDEL') end\n"
        "local function record(key, id, type, time, data)\n"
        "    local wanted, full = {}, {}\n"
        "    for _, webhook in ipairs(webhooks) do\n"
        "        if only ~= '' or webhook[2] == ',*,' or string.find(webhook[2], ',' .. type .. ',', 1, true) then\n"
        "            wanted[#wanted + 1] = webhook[1]\n"
        "        end\n"
        "    end\n"
        "    if #wanted > 0 then redis.call('HSET', key, 'type', type, 'time', time, 'data', data, 'n', #wanted) end\n"
        "    redis.call('PEXPIRE', key, #wanted > 0 and kept or remembered)\n"
        "    for _, webhook in ipairs(wanted) do\n"
        "        if redis.call('ZCARD', webhook .. ':q') < most_waiting / part then\n"
        "            redis.call('ZADD', webhook .. ':q', now, id)\n"
        "            redis.call('ZADD', webhook .. ':b', now, id)\n"
        "        else\n"
        "            full[#full + 1] = webhook\n"
        "        end\n"
        "    end\n"
        "    if #full > 0 then require_writes(settings, 'HDEL', 'HINCRBY', 'HSET', 'ZADD', 'ZREM', stream and 'XADD' or nil) end\n"
        "    for _, webhook in ipairs(full) do\n"
        "        if of_device and redis.call('ZCARD', webhook .. ':d') >= most_dead_letters / part then\n"
        "            redis.call('HINCRBY', webhook, 'dropped', 1)\n"
        "            release(event_prefix, id, remembered)\n"
        "        else\n"
        "            redis.call('HSET', webhook .. ':n', id, '0:too many events waited')\n"
        "            bury(webhook, event_prefix, id, now, tonumber(most_dead_letters), remembered)\n"
        "        end\n"
        "    end\n"
        "    if not stream then return end\n"
        "    local target = of_device and device_stream or event_stream\n"
        "    local place = of_device and next_place(event_stream) or '*'\n"
        "    redis.call('XADD', target, 'MAXLEN', '~', length, place, 'id', id, 'type', type, 'timestamp', time, 'data', data)\n"
        "end\n"
        "local count = 0\n"
        "for position = events_at, #ARGV, 4 do\n"
        "    local id, type, time, data = unpack(ARGV, position, position + 3)\n"
        "    local key = event_prefix .. id\n"
        "    if redis.call('HSETNX', key, 'at', now) == 1 then\n"
        "        count = count + 1\n"
        "        local is_recorded, problem = pcall(record, key, id, type, time, data)\n"
        "        if not is_recorded then\n"
        "            redis.call('DEL', key)\n"
        "            error(problem, 0)\n"
        "        end\n"
        "    end\n"
        "end\n"
        "return count\n";
}

const char *store_script_read_events(void) {
    return
        "local event_stream, device_stream = KEYS[1], KEYS[2]\n"
        "local after, count = ARGV[1], ARGV[2]\n"
        "local function numbers(entry)\n"
        "    local ms, number = string.match(entry[1], '^(%d+)%-(%d+)$')\n"
        "    return tonumber(ms), tonumber(number)\n"
        "end\n"
        "local function is_before(entry, other)\n"
        "    local ms, number = numbers(entry)\n"
        "    local other_ms, other_number = numbers(other)\n"
        "    return ms < other_ms or (ms == other_ms and number < other_number)\n"
        "end\n"
        "local all = redis.call('XRANGE', event_stream, '(' .. after, '+', 'COUNT', count)\n"
        "local of_devices = redis.call('XRANGE', device_stream, '(' .. after, '+', 'COUNT', count)\n"
        "if #of_devices == 0 then return all end\n"
        "local reply, next_one, next_of_devices = {}, 1, 1\n"
        "while #reply < tonumber(count) do\n"
        "    local entry, other = all[next_one], of_devices[next_of_devices]\n"
        "    if entry and (not other or is_before(entry, other)) then\n"
        "        reply[#reply + 1] = entry\n"
        "        next_one = next_one + 1\n"
        "    elseif other then\n"
        "        reply[#reply + 1] = other\n"
        "        next_of_devices = next_of_devices + 1\n"
        "    else\n"
        "        break\n"
        "    end\n"
        "end\n"
        "return reply\n";
}

const char *store_script_replace_event(void) {
    return
        PART_event_places
        PART_write_rights
        "local stream, event_stream = KEYS[1], KEYS[2]\n"
        "local entry, id, type, time, data = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\n"
        "require_writes(stream, 'XADD')\n"
        "if redis.call('XDEL', stream, entry) == 0 then return 0 end\n"
        "if data ~= '' then\n"
        "    local place = stream == event_stream and '*' or next_place(event_stream)\n"
        "    redis.call('XADD', stream, place, 'id', id, 'type', type, 'timestamp', time, 'data', data)\n"
        "end\n"
        "return 1\n";
}

const char *store_script_reseal_webhook(void) {
    return
        PART_older_secrets
        "local webhook = KEYS[1]\n"
        "local secrets_at = 1\n"
        "local fresh = {}\n"
        "for index = secrets_at, #ARGV, 2 do fresh[ARGV[index]] = ARGV[index + 1] end\n"
        "local is, found = redis.call('HMGET', webhook, 'secret', 'old_secret'), 0\n"
        "for index, field in ipairs({ 'secret', 'old_secret' }) do\n"
        "    if is[index] and fresh[is[index]] then\n"
        "        redis.call('HSET', webhook, field, fresh[is[index]])\n"
        "        found = 1\n"
        "    end\n"
        "end\n"
        "local older, has_changed = older_secrets(redis.call('HGET', webhook, 'older_secrets')), false\n"
        "for _, each in ipairs(older) do\n"
        "    if fresh[each.secret] then\n"
        "        each.secret = fresh[each.secret]\n"
        "        has_changed = true\n"
        "    end\n"
        "end\n"
        "if has_changed then\n"
        "    redis.call('HSET', webhook, 'older_secrets', written_older_secrets(older))\n"
        "    found = 1\n"
        "end\n"
        "return found\n";
}

const char *store_script_resend_dead_letters(void) {
    return
        PART_write_rights
        "local queue, arrivals, tries, dead_letters = KEYS[2], KEYS[3], KEYS[4], KEYS[5]\n"
        "local now, limit, most_waiting, ids_at = ARGV[1], ARGV[2], ARGV[3], 4\n"
        "require_writes(dead_letters, 'HDEL', 'ZADD')\n"
        "local ids = { unpack(ARGV, ids_at) }\n"
        "if #ids == 0 then ids = redis.call('ZRANGE', dead_letters, 0, limit - 1) end\n"
        "local count = 0\n"
        "for _, id in ipairs(ids) do\n"
        "    if redis.call('ZCARD', queue) >= tonumber(most_waiting) then break end\n"
        "    if redis.call('ZREM', dead_letters, id) == 1 then\n"
        "        redis.call('HDEL', tries, id)\n"
        "        redis.call('ZADD', queue, now, id)\n"
        "        redis.call('ZADD', arrivals, now, id)\n"
        "        count = count + 1\n"
        "    end\n"
        "end\n"
        "return count\n";
}

const char *store_script_rotate_webhook(void) {
    return
        PART_older_secrets
        "local webhook = KEYS[1]\n"
        "local secret, old_until, rotation, now, most_older = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\n"
        "local is = redis.call('HMGET', webhook, 'secret', 'old_secret', 'old_until', 'older_secrets')\n"
        "if not is[1] then return 0 end\n"
        "local older = older_secrets(is[4])\n"
        "if is[2] and is[3] then older[#older + 1] = { ['until'] = is[3], secret = is[2] } end\n"
        "local kept = {}\n"
        "for index = math.max(1, #older - most_older + 1), #older do\n"
        "    if tonumber(older[index]['until']) > tonumber(now) then kept[#kept + 1] = older[index] end\n"
        "end\n"
        "local older_field = {}\n"
        "if #kept > 0 then\n"
        "    older_field = { 'older_secrets', written_older_secrets(kept) }\n"
        "else\n"
        "    redis.call('HDEL', webhook, 'older_secrets')\n"
        "end\n"
        "redis.call('HSET', webhook, 'secret', secret, 'old_secret', is[1], 'old_until', old_until, 'rotation', rotation,\n"
        "    unpack(older_field))\n"
        "return 1\n";
}

const char *store_script_settle_delivery(void) {
    return
        PART_dead_letters
        PART_event_switch
        PART_write_rights
        "local webhook, queue, arrivals, tries, dead_letters, settings, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]\n"
        "local webhook_id, event_prefix, id, outcome, now, again_at, tried, problem, most_dead_letters, remembered, attempt, most_attempts, attempts_lifetime = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13]\n"
        "if redis.call('EXISTS', webhook) == 0 then return 0 end\n"
        "require_writes(webhook, 'HDEL', 'HINCRBY', 'HSET', 'LTRIM', 'PEXPIRE', 'ZADD', 'ZREM')\n"
        "redis.call('LPUSH', attempts, attempt)\n"
        "redis.call('LTRIM', attempts, 0, most_attempts - 1)\n"
        "redis.call('PEXPIRE', attempts, attempts_lifetime)\n"
        "local waits = redis.call('ZSCORE', queue, id)\n"
        "if outcome == 'delivered' then\n"
        "    local count = redis.call('ZREM', queue, id) + redis.call('ZREM', dead_letters, id)\n"
        "    redis.call('ZREM', arrivals, id)\n"
        "    redis.call('HDEL', tries, id)\n"
        "    if count > 0 then release(event_prefix, id, remembered) end\n"
        "    redis.call('HINCRBY', webhook, 'delivered', 1)\n"
        "    redis.call('HSET', webhook, 'failures', 0, 'last_delivery', now)\n"
        "    return 1\n"
        "end\n"
        "redis.call('HINCRBY', webhook, 'failed', 1)\n"
        "redis.call('HINCRBY', webhook, 'failures', 1)\n"
        "redis.call('HSET', webhook, 'last_failure', now, 'last_error', problem)\n"
        "if waits then\n"
        "    redis.call('HSET', tries, id, tried .. ':' .. problem)\n"
        "    if outcome == 'later' then\n"
        "        redis.call('ZADD', queue, again_at, id)\n"
        "    else\n"
        "        bury(webhook, event_prefix, id, now, tonumber(most_dead_letters), remembered)\n"
        "    end\n"
        "end\n"
        "if outcome == 'gone' then\n"
        "    redis.call('HSET', webhook, 'enabled', '0', 'reason', 'the receiver answered 410')\n"
        "    local types = redis.call('HGET', settings, 'w:' .. webhook_id)\n"
        "    if types then\n"
        "        redis.call('HDEL', settings, 'w:' .. webhook_id)\n"
        "        redis.call('HSET', settings, 'x:' .. webhook_id, types)\n"
        "        switch(settings)\n"
        "    end\n"
        "end\n"
        "return 1\n";
}

const char *store_script_switch_stream(void) {
    return
        PART_event_switch
        "local settings = KEYS[1]\n"
        "local on = ARGV[1]\n"
        "redis.call('HSET', settings, 'stream', on)\n"
        "switch(settings)\n"
        "return 1\n";
}

const char *store_script_take_deliveries(void) {
    return
        PART_dead_letters
        PART_write_rights
        "local webhook, queue, arrivals, tries, dead_letters = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]\n"
        "local event_prefix, now, given_up_before, forgotten_before, wanted, most_dead_letters, remembered, under_way_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], 8\n"
        "local under_way = {}\n"
        "for position = under_way_at, #ARGV do under_way[ARGV[position]] = true end\n"
        "local given_up = redis.call('ZRANGEBYSCORE', arrivals, '-inf', given_up_before, 'LIMIT', 0, 100)\n"
        "if #given_up > 0 then require_writes(webhook, 'HDEL', 'HINCRBY', 'PEXPIRE', 'ZADD', 'ZREM') end\n"
        "for _, id in ipairs(given_up) do\n"
        "    if not under_way[id] then bury(webhook, event_prefix, id, now, tonumber(most_dead_letters), remembered) end\n"
        "end\n"
        "local forgotten = redis.call('ZRANGEBYSCORE', dead_letters, '-inf', forgotten_before, 'LIMIT', 0, 100)\n"
        "if #forgotten > 0 then require_writes(webhook, 'HDEL', 'HINCRBY', 'PEXPIRE') end\n"
        "for _, id in ipairs(forgotten) do\n"
        "    redis.call('ZREM', dead_letters, id)\n"
        "    redis.call('HDEL', tries, id)\n"
        "    release(event_prefix, id, remembered)\n"
        "end\n"
        "local wanted = tonumber(wanted)\n"
        "local reply = { redis.call('HGETALL', webhook) }\n"
        "if wanted <= 0 then return reply end\n"
        "local due = redis.call('ZRANGEBYSCORE', queue, '-inf', now, 'LIMIT', 0, wanted + #ARGV - under_way_at + 1)\n"
        "for _, id in ipairs(due) do\n"
        "    if not under_way[id] and wanted > 0 then\n"
        "        local event = redis.call('HMGET', event_prefix .. id, 'type', 'time', 'data')\n"
        "        if event[1] and event[2] and event[3] then\n"
        "            local tried = redis.call('HGET', tries, id) or '0'\n"
        "            reply[#reply + 1] = { id, event[1], event[2], event[3], redis.call('ZSCORE', arrivals, id) or now,\n"
        "                string.match(tried, '^%d+') or '0' }\n"
        "            wanted = wanted - 1\n"
        "        else\n"
        "            redis.call('HDEL', tries, id)\n"
        "            redis.call('ZREM', arrivals, id)\n"
        "            redis.call('ZREM', queue, id)\n"
        "        end\n"
        "    end\n"
        "end\n"
        "return reply\n";
}

const char *store_script_note_poll(void) {
    return
        PART_write_rights
        "local lease, feed = KEYS[1], KEYS[2]\n"
        "local holder, strays, lifetime, fields_at = ARGV[1], ARGV[2], ARGV[3], 4\n"
        "require_writes(feed, 'DEL', 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE')\n"
        "local is_strays = redis.call('HGET', feed, 'strays')\n"
        "if redis.call('GET', lease) ~= holder then\n"
        "    redis.call('HDEL', feed, 'tag', 'digest')\n"
        "    redis.call('HINCRBY', feed, 'strays', 1)\n"
        "    redis.call('PEXPIRE', feed, lifetime)\n"
        "    return 0\n"
        "end\n"
        "redis.call('DEL', feed)\n"
        "redis.call('HSET', feed, unpack(ARGV, fields_at))\n"
        "if (is_strays or '') ~= strays then redis.call('HDEL', feed, 'tag', 'digest') end\n"
        "if is_strays then redis.call('HSET', feed, 'strays', is_strays) end\n"
        "redis.call('PEXPIRE', feed, lifetime)\n"
        "return 1\n";
}

const char *store_script_answer_idempotency_key(void) {
    return
        "local record = KEYS[1]\n"
        "local body, status, reply, kept = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local is = redis.call('HMGET', record, 'status', 'reply')\n"
        "if is[1] and is[2] then return is end\n"
        "local is_there = redis.call('PEXPIRE', record, kept) == 1\n"
        "redis.call('HSET', record, 'body', body, 'status', status, 'reply', reply)\n"
        "if not is_there then redis.call('PEXPIRE', record, kept) end\n"
        "return { status, reply }\n";
}

const char *store_script_claim_idempotency_key(void) {
    return
        "local record = KEYS[1]\n"
        "local body, id, now, held_until, arrived, kept = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "local is = redis.call('HMGET', record, 'body', 'status', 'reply', 'id', 'until', 'arrived')\n"
        "if not is[1] or not is[4] then\n"
        "    redis.call('HSET', record, 'body', body, 'id', id, 'until', held_until, 'arrived', arrived)\n"
        "    if redis.pcall('PEXPIRE', record, kept) ~= 1 then\n"
        "        redis.call('DEL', record)\n"
        "        redis.call('PEXPIRE', record, kept)\n"
        "    end\n"
        "    return { 1, id, arrived }\n"
        "end\n"
        "if is[1] ~= body then return { 2 } end\n"
        "if is[2] then return { 3, is[2], is[3] } end\n"
        "if tonumber(is[5]) > tonumber(now) then return { 0, is[4] } end\n"
        "redis.call('HSET', record, 'until', held_until, 'arrived', is[6] or arrived)\n"
        "return { 1, is[4], is[6] or arrived }\n";
}

const char *store_script_note_answer(void) {
    return
        "local answers = KEYS[1]\n"
        "local bytes, now, budget, window = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local is = redis.call('HMGET', answers, 'bytes', 'at')\n"
        "local passed = math.max(0, now - (is[2] or now))\n"
        "local noted = math.max(0, (is[1] or 0) - math.floor(passed * budget / window)) + bytes\n"
        "local is_there = redis.call('PEXPIRE', answers, 2 * window) == 1\n"
        "redis.call('HSET', answers, 'bytes', string.format('%d', noted), 'at', now)\n"
        "if not is_there then redis.call('PEXPIRE', answers, 2 * window) end\n"
        "return noted\n";
}

const char *store_script_add_slot_job(void) {
    return
        PART_add_job
        "local stream = KEYS[1]\n"
        "local broadcast, activity, part = ARGV[1], ARGV[2], ARGV[3]\n"
        "add_job(stream, broadcast, activity, part)\n"
        "return 1\n";
}

const char *store_script_begin_job(void) {
    return
        PART_hours
        PART_departures
        PART_turns
        "local open_broadcasts, broadcast, activity = KEYS[1], KEYS[2], KEYS[3]\n"
        "local prefix, order, part, now, late, slot = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "local time = tonumber(now)\n"
        "local is = redis.call('HMGET', broadcast, 'state', 'kind', 'superseded', 'not_before', 'priority', 'scope',\n"
        "    'created_at')\n"
        "local state = is[1]\n"
        "if state ~= 'queued' and state ~= 'running' and late == '' then return -1 end\n"
        "local mark = string.sub(part, 1, 1)\n"
        "if mark == '+' and redis.call('HEXISTS', broadcast, 'd=' .. string.sub(part, 2)) == 0 then return 0 end\n"
        "if is[2] == 'update' and is[3] and tonumber(is[3]) <= time then return 1 end\n"
        "local numbers = redis.call('HMGET', activity, 'order', 'indexed')\n"
        "local left = departure_of(is[4], is[7], time) - time\n"
        "if left > 0 and left <= 60000 then return 0 end\n"
        "local function holds_up(older_order)\n"
        "    local value = redis.call('HGET', open_broadcasts, older_order)\n"
        "    local id, kind = string.match(value or '', '^(.-):(.-):')\n"
        "    local older = id and redis.call('HMGET', prefix .. id, 'state', 'superseded', 'd' .. part, 'scope') or {}\n"
        "    if not older[1] or is_spent(kind, older[1], older[2], time) then\n"
        "        leave_turns(activity, older_order, slots_of_scope(older[4]))\n"
        "        return nil\n"
        "    end\n"
        "    return kind == 'start' or not older[3]\n"
        "end\n"
        "local function is_held_up_at(slots)\n"
        "    local entries, known = read_entries(activity, slots), {}\n"
        "    local remaining = { unpack(entries, 1, #slots) }\n"
        "    for index = 1, #slots do\n"
        "        local text = entries[index] or ''\n"
        "        for at = 1, #text - 5, 6 do\n"
        "            local older = struct.unpack('<I4', text, at)\n"
        "            if older >= tonumber(order) then break end\n"
        "            if known[older] == nil then\n"
        "                local holds = holds_up(string.format('%.0f', older))\n"
        "                if holds then return true end\n"
        "                known[older] = holds == nil and 'gone' or 'done'\n"
        "            end\n"
        "            if known[older] == 'gone' then remaining[index] = entries_without(remaining[index], older) end\n"
        "        end\n"
        "    end\n"
        "    write_entries(activity, slots, entries, remaining)\n"
        "    return false\n"
        "end\n"
        "complete_turns(activity, open_broadcasts, numbers[1], numbers[2], time)\n"
        "local is_behind_starts = mark == '+' or mark == '=' and is[2] == 'end'\n"
        "local slots = late ~= '' and { slot } or slots_of_scope(is[6])\n"
        "local is_held_up = is_behind_starts and first_turn(activity, 0, order, holds_up)\n"
        "    or first_turn(activity, 1, order, holds_up) or first_turn(activity, 2, order, holds_up)\n"
        "if not is_held_up and slots then\n"
        "    is_held_up = is_held_up_at(slots)\n"
        "elseif not is_held_up then\n"
        "    is_held_up = first_turn(activity, 3, order, holds_up)\n"
        "end\n"
        "if late ~= '' and state and not is_held_up then\n"
        "    is_held_up = redis.call('HEXISTS', broadcast, 'd' .. part) == 0 and redis.call('HGET', broadcast, 'order')\n"
        "    is_held_up = is_held_up and redis.call('HEXISTS', open_broadcasts, is_held_up) == 1\n"
        "end\n"
        "if is_held_up then return 0 end\n"
        "if state == 'queued' and late == '' then\n"
        "    redis.call('HSET', broadcast, 'state', 'running', 'started_at', now)\n"
        "    if is[2] == 'update' and redis.call('EXISTS', activity) == 1 then\n"
        "        local hour, count, urgent = unpack(redis.call('HMGET', activity, 'hour', 'hour_updates', 'hour_urgent'))\n"
        "        local changes = {}\n"
        "        local updates = count_update(changes, time, hour, count, urgent, is[5] == '10' and not is[6])\n"
        "        redis.call('HSET', activity, unpack(changes))\n"
        "        redis.call('HSET', broadcast, 'updates', updates)\n"
        "    end\n"
        "end\n"
        "if late ~= '' and state then\n"
        "    local field = 'late:' .. slot\n"
        "    local holder, held_until = string.match(redis.call('HGET', broadcast, field) or '', '^(.-) (%d+)$')\n"
        "    if holder and holder ~= late and tonumber(held_until) > time then return 0 end\n"
        "    redis.call('HSET', broadcast, field, string.format('%s %.0f', late, time + 15000))\n"
        "end\n"
        "return 1\n";
}

const char *store_script_complete_job(void) {
    return
        PART_job_entries
        "local stream, broadcast, activity = KEYS[1], KEYS[2], KEYS[3]\n"
        "local consumer, entry, part, over, keep, sent, first_push, last_push = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]\n"
        "local function earlier(one, other)\n"
        "    return one and tonumber(one) < tonumber(other) and one or other\n"
        "end\n"
        "local function later(one, other)\n"
        "    return one and tonumber(one) > tonumber(other) and one or other\n"
        "end\n"
        "if not is_taken_by(stream, entry, consumer) then return -1 end\n"
        "if sent == 'sent' and redis.call('EXISTS', activity) == 1 then redis.call('HSET', activity, 'turn', part) end\n"
        "local is = redis.call('HMGET', broadcast, 'state', 'jobs', 'jobs_done', 'd' .. part, 'first_push', 'last_push')\n"
        "local times = {}\n"
        "if first_push ~= '' then\n"
        "    times = { 'first_push', earlier(is[5], first_push), 'last_push', later(is[6], last_push) }\n"
        "end\n"
        "local is_running = is[1] == 'queued' or is[1] == 'running'\n"
        "if over ~= 'over' then\n"
        "    if is_running and #times > 0 then redis.call('HSET', broadcast, unpack(times)) end\n"
        "    return 0\n"
        "end\n"
        "if is_running then\n"
        "    local done = tonumber(is[3]) or 0\n"
        "    if not is[4] then\n"
        "        done = done + 1\n"
        "        redis.call('HSET', broadcast, 'd' .. part, '1', 'jobs_done', done, unpack(times))\n"
        "    end\n"
        "    if done < tonumber(is[2]) then\n"
        "        if keep ~= 'keep' then remove(stream, entry) end\n"
        "        return 0\n"
        "    end\n"
        "end\n"
        "return 1\n";
}

const char *store_script_drop_start_pages(void) {
    return
        PART_pages
        "local counters, start_pages_at = KEYS[1], 2\n"
        "local broadcast = ARGV[1]\n"
        "local restart = redis.call('HGET', counters, 'restart')\n"
        "if restart and restart ~= broadcast then return 0 end\n"
        "local gone = { 'startable' }\n"
        "for at = start_pages_at, #KEYS do gone[#gone + 1] = select(2, place_of(KEYS[at])) end\n"
        "redis.call('HDEL', counters, unpack(gone))\n"
        "redis.call('UNLINK', unpack(KEYS, start_pages_at))\n"
        "return 1\n";
}

const char *store_script_finish_broadcast(void) {
    return
        PART_ended_broadcasts
        PART_turns
        PART_ending
        PART_unfinished
        PART_write_rights
        "local broadcast, open_broadcasts, unfinished, activity, owners, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]\n"
        "local order, keep, reached, id, member, has_failed, fields_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], 7\n"
        "local state = redis.call('HGET', broadcast, 'state')\n"
        "if state ~= 'queued' and state ~= 'running' then return 0 end\n"
        "if reached ~= '' then require_writes(broadcast, 'PEXPIRE') end\n"
        "take_off(owners, counts, member)\n"
        "redis.call('ZREM', unfinished, member)\n"
        "end_broadcast(broadcast, open_broadcasts, activity, order, id, keep == 'keep' and 'all' or 'short', has_failed == '1',\n"
        "    fields_at)\n"
        "if reached ~= '' and redis.call('HGET', activity, 'slots') == reached then\n"
        "    fold_record(broadcast, 3600000)\n"
        "end\n"
        "return 1\n";
}

const char *store_script_finish_held(void) {
    return
        PART_unfinished
        PART_add_job
        PART_write_rights
        PART_held_jobs
        PART_ended_broadcasts
        PART_turns
        PART_ending
        "local held, broadcast, open_broadcasts, activity = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\n"
        "local member, hold, order, id, packed_id, ending, fields_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], 7\n"
        "local _, holder = parts_of_held(redis.call('HGET', held, member) or '')\n"
        "if holder ~= hold then\n"
        "    local state = redis.call('HGET', broadcast, 'state')\n"
        "    if ending == 'none' and not state then return 1 end\n"
        "    if state then return state ~= 'queued' and state ~= 'running' and 1 or 0 end\n"
        "    return find_ended(activity, id, packed_id) and 1 or 0\n"
        "end\n"
        "require_writes(held, 'HDEL', 'HSET', 'PEXPIRE', 'UNLINK')\n"
        "end_broadcast(broadcast, open_broadcasts, activity, order, id, ending == 'none' and ending or 'short', ending ~= '',\n"
        "    fields_at)\n"
        "redis.call('HDEL', held, member)\n"
        "return 1\n";
}

const char *store_script_forget_vanished(void) {
    return
        PART_unfinished
        "local unfinished, owners, counts = KEYS[1], KEYS[2], KEYS[3]\n"
        "local prefix, count = ARGV[1], ARGV[2]\n"
        "local vanished = {}\n"
        "for _, member in ipairs(redis.call('ZRANGE', unfinished, 0, count - 1)) do\n"
        "    local activity, id = string.match(member, '^(.-):(.*)$')\n"
        "    local key = prefix .. activity\n"
        "    if redis.call('EXISTS', key, key .. ':b:' .. id) < 2 then\n"
        "        local open = redis.call('HGETALL', key .. ':open')\n"
        "        for index = 2, #open, 2 do\n"
        "            if string.sub(open[index], 1, #id + 1) == id .. ':' then\n"
        "                redis.call('HDEL', key .. ':open', open[index - 1])\n"
        "            end\n"
        "        end\n"
        "        take_off(owners, counts, member)\n"
        "        redis.call('ZREM', unfinished, member)\n"
        "        vanished[#vanished + 1] = member\n"
        "    end\n"
        "end\n"
        "return vanished\n";
}

const char *store_script_give_back_items(void) {
    return
        "local due = KEYS[1]\n"
        "local taken_until, at, items_at = ARGV[1], ARGV[2], 3\n"
        "local score_of_taken = tonumber(taken_until)\n"
        "local count = 0\n"
        "for index = items_at, #ARGV do\n"
        "    local score = redis.call('ZSCORE', due, ARGV[index])\n"
        "    if score and tonumber(score) == score_of_taken then\n"
        "        redis.call('ZADD', due, at, ARGV[index])\n"
        "        count = count + 1\n"
        "    end\n"
        "end\n"
        "return count\n";
}

const char *store_script_remove_job(void) {
    return
        PART_job_entries
        "local stream = KEYS[1]\n"
        "local consumer, entry = ARGV[1], ARGV[2]\n"
        "if not is_taken_by(stream, entry, consumer) then return 0 end\n"
        "remove(stream, entry)\n"
        "return 1\n";
}

const char *store_script_renew_held(void) {
    return
        PART_unfinished
        PART_add_job
        PART_write_rights
        PART_held_jobs
        "local held, small_jobs, unfinished, owners, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]\n"
        "local prefix, held_until, holds_at = ARGV[1], ARGV[2], 3\n"
        "local lost = {}\n"
        "for index = holds_at, #ARGV, 2 do\n"
        "    local member, hold = ARGV[index], ARGV[index + 1]\n"
        "    local value = redis.call('HGET', held, member)\n"
        "    local _, holder, kept_until, part, tenant = parts_of_held(value or '')\n"
        "    if holder ~= hold then\n"
        "        lost[#lost + 1] = hold\n"
        "    elseif held_until ~= '' then\n"
        "        put_held(held, member, held_until .. ' ' .. hold, kept_until, part, tenant)\n"
        "    else\n"
        "        give_back(held, member, value, prefix, small_jobs, unfinished, owners, counts)\n"
        "    end\n"
        "end\n"
        "return lost\n";
}

const char *store_script_renew_jobs(void) {
    return
        PART_job_entries
        "local lanes_at = 1\n"
        "local consumer, idle, jobs_at = ARGV[1], ARGV[2], 3\n"
        "local lost = {}\n"
        "for index = jobs_at, #ARGV, 2 do\n"
        "    local stream, id = KEYS[lanes_at + ARGV[index]], ARGV[index + 1]\n"
        "    if is_taken_by(stream, id, consumer) then\n"
        "        redis.call('XCLAIM', stream, 'gateways', consumer, 0, id, 'IDLE', idle, 'JUSTID')\n"
        "    else\n"
        "        lost[#lost + 1] = id\n"
        "    end\n"
        "end\n"
        "return lost\n";
}

const char *store_script_take_jobs(void) {
    return
        PART_unfinished
        PART_add_job
        PART_write_rights
        PART_held_jobs
        PART_due_shares
        "local small, first, updates, unfinished, due, owners, counts, held = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8]\n"
        "local consumer, silence, small_wanted, first_wanted, updates_wanted, items_wanted, now, again_at, schedules_wanted, erasures_wanted, prefix, full_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], 12\n"
        "local next_due = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]\n"
        "local is_due = next_due and tonumber(next_due) <= tonumber(now)\n"
        "if not is_due and redis.call('EXISTS', small, first, updates, unfinished, held, due .. ':turns') == 0 then\n"
        "    return { 0, next_due or '' }\n"
        "end\n"
        "local items = {}\n"
        "local most_items = tonumber(items_wanted)\n"
        "if most_items > 0 then\n"
        "    local taken_of, full = {}, {}\n"
        "    local schedules_left = tonumber(schedules_wanted)\n"
        "    for index = full_at, #ARGV do full[ARGV[index]] = true end\n"
        "    local function has_room(holder)\n"
        "        if full[holder] then return false end\n"
        "        local kind = string.sub(holder, 1, 2)\n"
        "        if kind == 's:' then return schedules_left > 0 end\n"
        "        return kind ~= 'e:' or (taken_of[holder] or 0) < tonumber(erasures_wanted)\n"
        "    end\n"
        "    local function take_item(item, holder)\n"
        "        taken_of[holder] = (taken_of[holder] or 0) + 1\n"
        "        if string.sub(holder, 1, 2) == 's:' then schedules_left = schedules_left - 1 end\n"
        "        items[#items + 1] = item\n"
        "        redis.call('ZADD', due, again_at, item)\n"
        "    end\n"
        "    local head = {}\n"
        "    if is_due then\n"
        "        head = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 256)\n"
        "    end\n"
        "    if #head > 2 * 64 or redis.call('EXISTS', due .. ':turns') == 1 then\n"
        "        sort_due(due, head, again_at, prefix)\n"
        "        take_turns(due, most_items, has_room, take_item)\n"
        "    else\n"
        "        local tenants = {}\n"
        "        for index = 1, #head, 2 do\n"
        "            if #items == most_items then break end\n"
        "            local holder = holder_of(head[index], prefix, tenants)\n"
        "            if has_room(holder) then take_item(head[index], holder) end\n"
        "        end\n"
        "    end\n"
        "end\n"
        "local held_jobs, held_of, held_count = redis.call('HGETALL', held), {}, 0\n"
        "for index = 1, #held_jobs, 2 do\n"
        "    local held_until, _, _, _, tenant = parts_of_held(held_jobs[index + 1])\n"
        "    if tonumber(held_until) <= tonumber(now) then\n"
        "        give_back(held, held_jobs[index], held_jobs[index + 1], prefix, small, unfinished, owners, counts)\n"
        "    else\n"
        "        held_of[tenant], held_count = (held_of[tenant] or 0) + 1, held_count + 1\n"
        "    end\n"
        "end\n"
        "local unfinished_of = redis.call('HGETALL', counts)\n"
        "for index = 1, #unfinished_of, 2 do\n"
        "    local tenant = unfinished_of[index]\n"
        "    unfinished_of[index + 1] = tostring(unfinished_of[index + 1] + (held_of[tenant] or 0))\n"
        "    held_of[tenant] = nil\n"
        "end\n"
        "for tenant, count in pairs(held_of) do\n"
        "    unfinished_of[#unfinished_of + 1] = tenant\n"
        "    unfinished_of[#unfinished_of + 1] = tostring(count)\n"
        "end\n"
        "local taken = { 1, redis.call('ZCOUNT', unfinished, now, '+inf') + held_count, items, unfinished_of }\n"
        "local function take(lane, list)\n"
        "    local count = 0\n"
        "    for _, entry in ipairs(list) do\n"
        "        if entry and entry[2] then\n"
        "            local field = {}\n"
        "            for index = 1, #entry[2], 2 do field[entry[2][index]] = entry[2][index + 1] end\n"
        "            for _, value in ipairs({ lane - 1, entry[1], field.b, field.a, field.p }) do\n"
        "                taken[#taken + 1] = tostring(value)\n"
        "            end\n"
        "            count = count + 1\n"
        "        end\n"
        "    end\n"
        "    return count\n"
        "end\n"
        "local streams = { small, first, updates }\n"
        "for lane, wanted in ipairs({ small_wanted, first_wanted, updates_wanted }) do\n"
        "    local stream = streams[lane]\n"
        "    wanted = tonumber(wanted)\n"
        "    if wanted > 0 and redis.call('EXISTS', stream) == 1 then\n"
        "        local cursor = '0-0'\n"
        "        for _ = 1, silence ~= '' and 50 or 0 do\n"
        "            local claimed = redis.call('XAUTOCLAIM', stream, 'gateways', consumer, silence, cursor,\n"
        "                'COUNT', wanted)\n"
        "            wanted = wanted - take(lane, claimed[2])\n"
        "            cursor = claimed[1]\n"
        "            if cursor == '0-0' or wanted <= 0 then break end\n"
        "        end\n"
        "        if wanted > 0 then\n"
        "            local read = redis.call('XREADGROUP', 'GROUP', 'gateways', consumer, 'COUNT', wanted,\n"
        "                'STREAMS', stream, '>')\n"
        "            if read then take(lane, read[1][2]) end\n"
        "        end\n"
        "    end\n"
        "end\n"
        "return taken\n";
}

const char *store_script_delete_field(void) {
    return
        "local hash = KEYS[1]\n"
        "local field, value = ARGV[1], ARGV[2]\n"
        "if redis.call('HGET', hash, field) ~= value then return 0 end\n"
        "return redis.call('HDEL', hash, field)\n";
}

const char *store_script_lease(void) {
    return
        "local lease = KEYS[1]\n"
        "local holder, lifetime, only = ARGV[1], ARGV[2], ARGV[3]\n"
        "local is = redis.call('GET', lease)\n"
        "if is and (is ~= holder or only == 'free') or not is and only == 'own' then return 0 end\n"
        "if lifetime == '0' then\n"
        "    redis.call('DEL', lease)\n"
        "    return 0\n"
        "end\n"
        "redis.call('SET', lease, holder, 'PX', lifetime)\n"
        "return 1\n";
}

const char *store_script_exchange_provider_token(void) {
    return
        PART_write_rights
        "local provider_token = KEYS[1]\n"
        "local issued, token, lifetime, refused, interval = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\n"
        "local function put()\n"
        "    require_writes(provider_token, 'HSET', 'PEXPIRE')\n"
        "    redis.call('DEL', provider_token)\n"
        "    redis.call('HSET', provider_token, 'issued', issued, 'token', token)\n"
        "    redis.call('PEXPIRE', provider_token, lifetime)\n"
        "end\n"
        "local is = redis.call('HMGET', provider_token, 'issued', 'token', 'renewed')\n"
        "if not is[1] or not is[2] then\n"
        "    if issued == '' then return { 2 } end\n"
        "    put()\n"
        "    return { 1 }\n"
        "end\n"
        "if issued ~= '' and is[1] == refused then\n"
        "    local now = tonumber(redis.call('TIME')[1])\n"
        "    if now - (tonumber(is[3]) or 0) >= tonumber(interval) then\n"
        "        put()\n"
        "        redis.call('HSET', provider_token, 'renewed', now)\n"
        "        return { 1 }\n"
        "    end\n"
        "end\n"
        "return { 0, is[1], is[2] }\n";
}

const char *store_script_add_requests(void) {
    return
        PART_minute_window
        "local requests = KEYS[1]\n"
        "local count, limit, window = ARGV[1], ARGV[2], ARGV[3]\n"
        "local text, _, wait = add_to_window(redis.call('GET', requests) or '', tonumber(count), tonumber(limit),\n"
        "    tonumber(window), now_ms())\n"
        "redis.call('SET', requests, text, 'PX', window + 1000)\n"
        "return wait\n";
}

const char *store_script_add_usage(void) {
    return
        PART_minute_window
        PART_crossings
        PART_write_rights
        "local usage = KEYS[1]\n"
        "local users, devices, fresh, holder, batch, remembered, tells, turn, users_held, devices_held, need, wish, window, kept, recounting, users_limit, devices_limit, fresh_limit, names_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13], ARGV[14], ARGV[15], ARGV[16], ARGV[17], ARGV[18], 19\n"
        "local function total(field, more)\n"
        "    if more == '0' then return tonumber(redis.call('HGET', usage, field) or 0) end\n"
        "    local sum = redis.call('HINCRBY', usage, field, more)\n"
        "    if sum < 0 then\n"
        "        redis.call('HSET', usage, field, '0')\n"
        "        return 0\n"
        "    end\n"
        "    return sum\n"
        "end\n"
        "local function is_new(now)\n"
        "    if holder == '' or users == '0' and devices == '0' and fresh == '0' then return true end\n"
        "    local last = string.match(redis.call('HGET', usage, 's:' .. holder) or '', '^(%d+):')\n"
        "    if tonumber(batch) <= (tonumber(last) or 0) then return false end\n"
        "    redis.call('HSET', usage, 's:' .. holder, batch .. ':' .. string.format('%.0f', now + remembered))\n"
        "    return true\n"
        "end\n"
        "local function held_by_others(now)\n"
        "    local of_users, of_devices, last_turn = 0, 0, 0\n"
        "    local all = redis.call('HGETALL', usage)\n"
        "    for index = 1, #all, 2 do\n"
        "        local name = string.match(all[index], '^l:(.*)$')\n"
        "        if name then\n"
        "            local a, b, ends_at, its_turn = string.match(all[index + 1], '^(%d+):(%d+):(%d+):(%d+)$')\n"
        "            if name == holder then\n"
        "                last_turn = tonumber(its_turn) or 0\n"
        "            elseif (tonumber(ends_at) or 0) > now then\n"
        "                of_users, of_devices = of_users + tonumber(a), of_devices + tonumber(b)\n"
        "            else\n"
        "                redis.call('HDEL', usage, all[index])\n"
        "                redis.call('HSET', usage, 'lost', '0')\n"
        "            end\n"
        "        elseif string.sub(all[index], 1, 2) == 's:'\n"
        "            and (tonumber(string.match(all[index + 1], ':(%d+)$')) or 0) < now then\n"
        "            redis.call('HDEL', usage, all[index])\n"
        "        end\n"
        "    end\n"
        "    return of_users, of_devices, last_turn\n"
        "end\n"
        "local function takes_recount(now)\n"
        "    local due = holder ~= '' and tonumber(redis.call('HGET', usage, 'lost') or '')\n"
        "    if not due or due > now then return 0 end\n"
        "    redis.call('HSET', usage, 'lost', string.format('%.0f', now + recounting))\n"
        "    return 1\n"
        "end\n"
        "if holder ~= '' then require_writes(usage, 'HDEL', 'HINCRBY', 'HSET') end\n"
        "local now = now_ms()\n"
        "local users, devices, fresh = users, devices, fresh\n"
        "if not is_new(now) then users, devices, fresh = '0', '0', '0' end\n"
        "local all_users, all_devices = total('users', users), total('devices', devices)\n"
        "local text, sum, wait = add_to_window(redis.call('HGET', usage, 'fresh') or '', tonumber(fresh), tonumber(fresh_limit),\n"
        "    tonumber(window), now)\n"
        "if fresh ~= '0' then redis.call('HSET', usage, 'fresh', text) end\n"
        "local more_users, more_devices, short = 0, 0, 0\n"
        "if holder ~= '' then\n"
        "    local of_users, of_devices, last_turn = held_by_others(now)\n"
        "    of_users, of_devices = of_users + tonumber(users_held), of_devices + tonumber(devices_held)\n"
        "    local function room(limit, used, bit)\n"
        "        if limit == '0' then return math.huge end\n"
        "        local left = tonumber(limit) - used\n"
        "        if left <= 0 then short = short + bit end\n"
        "        return math.max(0, left)\n"
        "    end\n"
        "    local user_room = room(users_limit, all_users + of_users, 1)\n"
        "    local device_room = math.min(room(devices_limit, all_devices + of_devices, 2),\n"
        "        room(fresh_limit, sum + of_devices, 4))\n"
        "    if tonumber(turn) > last_turn then\n"
        "        more_devices = math.min(device_room, need + math.min(tonumber(wish), math.floor(device_room / 8)))\n"
        "        more_users = math.max(0, math.min(user_room, devices_held + more_devices - users_held))\n"
        "        local has_users, has_devices = users_held + more_users, devices_held + more_devices\n"
        "        if has_users + has_devices > 0 then\n"
        "            redis.call('HSET', usage, 'l:' .. holder,\n"
        "                string.format('%.0f:%.0f:%.0f:%s', has_users, has_devices, now + kept, turn))\n"
        "        else\n"
        "            redis.call('HDEL', usage, 'l:' .. holder)\n"
        "        end\n"
        "    end\n"
        "end\n"
        "local reply = { all_users, all_devices, sum, wait, more_users, more_devices, short, takes_recount(now) }\n"
        "if tells == '' then return reply end\n"
        "note_crossing(usage, ARGV[names_at], all_users, users_limit, 0, now, reply)\n"
        "note_crossing(usage, ARGV[names_at + 1], all_devices, devices_limit, 0, now, reply)\n"
        "note_crossing(usage, ARGV[names_at + 2], sum, fresh_limit, 3600000, now, reply)\n"
        "return reply\n";
}

const char *store_script_note_use(void) {
    return
        PART_minute_window
        PART_crossings
        "local usage = KEYS[1]\n"
        "local name, used, limit, again_after = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local crossed = {}\n"
        "note_crossing(usage, name, tonumber(used), limit, tonumber(again_after), now_ms(), crossed)\n"
        "return crossed\n";
}

const char *store_script_open_activity(void) {
    return
        PART_write_rights
        "local opened, user = KEYS[1], KEYS[2]\n"
        "local activity, ends_at, now, limit = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "if user and redis.call('EXISTS', user) == 0 then return { 1, 0 } end\n"
        "redis.call('ZREMRANGEBYSCORE', opened, '-inf', now)\n"
        "if redis.call('ZSCORE', opened, activity) then return { 1, redis.call('ZCARD', opened) } end\n"
        "local count = redis.call('ZCARD', opened)\n"
        "if limit ~= '0' and count >= tonumber(limit) then return { 0, count } end\n"
        "local left = redis.call('PTTL', opened)\n"
        "local is_last = left < 0 or left < ends_at - now\n"
        "if is_last then require_writes(opened, 'PEXPIREAT') end\n"
        "redis.call('ZADD', opened, ends_at, activity)\n"
        "if is_last then redis.call('PEXPIREAT', opened, ends_at) end\n"
        "return { 1, count + 1 }\n";
}

const char *store_script_release_schedules(void) {
    return
        PART_reserved_schedules
        "local reserved, ages = KEYS[1], KEYS[2]\n"
        "local released_at = 1\n"
        "for index = released_at, #ARGV, 3 do\n"
        "    local user, id, second = unpack(ARGV, index, index + 2)\n"
        "    release_reserved(reserved, ages, user, function(other, since)\n"
        "        return other == id and (second == '' or since == tonumber(second))\n"
        "    end)\n"
        "end\n"
        "return 1\n";
}

const char *store_script_reserve_schedule(void) {
    return
        PART_reserved_schedules
        PART_crossings
        PART_write_rights
        "local reserved, ages, usage = KEYS[1], KEYS[2], KEYS[3]\n"
        "local user, activity, id, size, now, kept, count_limit, bytes_limit, user_count_limit, user_bytes_limit, count_name, bytes_name = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12]\n"
        "local time = tonumber(now)\n"
        "local oldest = time - kept\n"
        "local function is_expired(_, since) return since <= oldest end\n"
        "for _, other in ipairs(redis.call('ZRANGEBYSCORE', ages, '-inf', oldest, 'LIMIT', 0, 16)) do\n"
        "    release_reserved(reserved, ages, other, is_expired)\n"
        "end\n"
        "local text, all, all_bytes = unpack(redis.call('HMGET', reserved, user, 'count', 'bytes'))\n"
        "local rest, user_bytes, known, known_bytes = split_reserved(text or '', function(other) return other == id end)\n"
        "local user_count = #rest / 40 + 1\n"
        "user_bytes = user_bytes + size\n"
        "all, all_bytes = (all or 0) - known + 1, (all_bytes or 0) - known_bytes + size\n"
        "local function exceeds(use, limit) return limit ~= '0' and use > tonumber(limit) end\n"
        "local reached = 0\n"
        "if known == 0 then\n"
        "    if exceeds(user_count, user_count_limit) then\n"
        "        reached = 3\n"
        "    elseif exceeds(user_bytes, user_bytes_limit) then\n"
        "        reached = 4\n"
        "    elseif exceeds(all, count_limit) then\n"
        "        reached, all = 1, tonumber(count_limit)\n"
        "    elseif exceeds(all_bytes, bytes_limit) then\n"
        "        reached, all_bytes = 2, tonumber(bytes_limit)\n"
        "    end\n"
        "end\n"
        "local reply = { reached, known == 0 and 1 or 0 }\n"
        "if reached == 0 then\n"
        "    require_writes(reserved, 'PEXPIRE')\n"
        "    put_reserved(reserved, ages, user, rest .. activity .. id .. struct.pack('<I4I4', tonumber(size), time),\n"
        "        all, all_bytes)\n"
        "    for _, key in ipairs({ reserved, ages }) do redis.call('PEXPIRE', key, kept * 1000 + 60000) end\n"
        "end\n"
        "if reached == 0 or reached == 1 then note_crossing(usage, count_name, all, count_limit, 0, time * 1000, reply) end\n"
        "if reached == 0 or reached == 2 then note_crossing(usage, bytes_name, all_bytes, bytes_limit, 0, time * 1000, reply) end\n"
        "return reply\n";
}

const char *store_script_slow_down(void) {
    return
        PART_quota_shares
        PART_write_rights
        "local quota = KEYS[1]\n"
        "local wait, now = ARGV[1], ARGV[2]\n"
        "require_writes(quota, 'PEXPIRE')\n"
        "local now = quota_time(now)\n"
        "local is = redis.call('HMGET', quota, 'until', 'share', 'shared_at')\n"
        "if wait ~= '' then\n"
        "    local closed = now + math.min(tonumber(wait), 120000000)\n"
        "    local before = tonumber(is[1]) or 0\n"
        "    if before > now + 120000000 then before = 0 end\n"
        "    redis.call('HSET', quota, 'until', string.format('%.0f', math.max(closed, before)))\n"
        "else\n"
        "    local share = math.max(0.05, recovered(is[2], is[3], now) / 2)\n"
        "    redis.call('HSET', quota, 'share', tostring(share), 'shared_at', string.format('%.0f', now))\n"
        "end\n"
        "redis.call('PEXPIRE', quota, (120000000 + 60000000) / 1000)\n"
        "return 1\n";
}

const char *store_script_take_permits(void) {
    return
        PART_quota_shares
        "local quota = KEYS[1]\n"
        "local count, limit, ramp_up, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local count, limit, ramp_up = tonumber(count), tonumber(limit), tonumber(ramp_up)\n"
        "local now = quota_time(now)\n"
        "local is = redis.call('HMGET', quota, 'next', 'used', 'began', 'until', 'share', 'shared_at')\n"
        "local closed = math.min(tonumber(is[4]) or 0, now + 120000000)\n"
        "if now < closed then return { 0, math.ceil((closed - now) / 1000) } end\n"
        "local next, used, began = tonumber(is[1]) or 0, tonumber(is[2]), tonumber(is[3])\n"
        "if not used or not began or now - used >= 60000000 or began > now then began = now end\n"
        "local share = ramped(began, now, ramp_up) * recovered(is[5], is[6], now)\n"
        "local whole = math.max(61100000 / limit, (61100000 - 100000) / math.max(limit - 1, 0.98))\n"
        "local interval = whole / share\n"
        "local burst = math.max(100000, interval)\n"
        "local latest = now + math.max(60000000, 2 * whole)\n"
        "if next > latest then next = now end\n"
        "local start = math.max(next, now)\n"
        "local granted = math.max(0, math.min(count, math.floor((now - start + burst) / interval)))\n"
        "if granted > 0 then\n"
        "    next = math.min(math.ceil(start + granted * interval), latest)\n"
        "    local is_there = redis.call('PEXPIRE', quota, (120000000 + 60000000) / 1000) == 1\n"
        "    redis.call('HSET', quota, 'next', string.format('%.0f', next), 'used', string.format('%.0f', now),\n"
        "        'began', string.format('%.0f', began))\n"
        "    if not is_there then redis.call('PEXPIRE', quota, (120000000 + 60000000) / 1000) end\n"
        "end\n"
        "if granted == count then return { granted, 0 } end\n"
        "local wait = math.max(next - now, 0) + math.max(interval, burst / 2) - burst\n"
        "return { granted, math.max(1, math.ceil(wait / 1000)) }\n";
}

const char *store_script_count_states(void) {
    return
        PART_pages
        "local pages_at = 1\n"
        "local ranges_at = 1\n"
        "local byte = string.byte\n"
        "local counts, argument = {}, ranges_at\n"
        "local pages = open_pages({ unpack(KEYS, pages_at) })\n"
        "for page = 1, #pages, 2 do\n"
        "    local statuses = read_page(pages[page]) or ''\n"
        "    local tokens = read_page(pages[page + 1]) or ''\n"
        "    local width = byte(tokens, 1) or 0\n"
        "    local reach = width > 1 and math.floor((#tokens - 1) / width) or 0\n"
        "    for _ = 1, tonumber(ARGV[argument]) do\n"
        "        local first = tonumber(ARGV[argument + 1])\n"
        "        local cell = 2 + first * width\n"
        "        for index = first + 1, math.min(tonumber(ARGV[argument + 2]), #statuses) do\n"
        "            local key = byte(statuses, index)\n"
        "            if index <= reach and key < 16 then\n"
        "                if byte(tokens, cell) > 0 then\n"
        "                    key = key + 256\n"
        "                else\n"
        "                    local mark = byte(tokens, cell + 1)\n"
        "                    if mark == 255 then\n"
        "                        key = key + 512\n"
        "                    elseif mark == 254 then\n"
        "                        key = key + 768\n"
        "                    end\n"
        "                end\n"
        "            end\n"
        "            counts[key] = (counts[key] or 0) + 1\n"
        "            cell = cell + width\n"
        "        end\n"
        "        argument = argument + 2\n"
        "    end\n"
        "    argument = argument + 1\n"
        "end\n"
        "local reply = {}\n"
        "for key, count in pairs(counts) do reply[#reply + 1] = { key, count } end\n"
        "return reply\n";
}

const char *store_script_find_newest_update(void) {
    return
        "local activity = KEYS[1]\n"
        "local prefix = ARGV[1]\n"
        "local newest = redis.call('HMGET', activity, 'newest_update', 'newest_order')\n"
        "if not newest[1] or not newest[2] then return false end\n"
        "local state = redis.call('HGET', prefix .. newest[1], 'state')\n"
        "return { newest[1], tonumber(newest[2]), (state == 'queued' or state == 'running') and 0 or 1 }\n";
}

const char *store_script_find_token(void) {
    return
        PART_pages
        PART_cells
        PART_former_tokens
        "local update_page, status_page = KEYS[1], KEYS[2]\n"
        "local index, slot, token = ARGV[1], ARGV[2], ARGV[3]\n"
        "local index = tonumber(index)\n"
        "local pages, is = open_pages({ update_page, status_page }, { 'former:' .. slot })\n"
        "local update_page, status_page = unpack(pages)\n"
        "local status = string.byte(read_range(status_page, index, index)) or 0\n"
        "local old, _, _, rest = read_cell(update_page, index)\n"
        "local has_token = old and old ~= ''\n"
        "if has_token and token ~= '' and string.sub(old, 5) == token then return { status, 2, 3 } end\n"
        "local digest = last_digest(rest)\n"
        "local rank = token ~= '' and former_rank(is[1], digest, token, status) or 0\n"
        "return { status, has_token and 2 or digest ~= '' and 1 or 0, rank }\n";
}

const char *store_script_has_met(void) {
    return
        "local reading = KEYS[1]\n"
        "local order, index, is_over = ARGV[1], ARGV[2], ARGV[3]\n"
        "local noted = redis.call('GETRANGE', reading, 0, 3)\n"
        "if #noted < 4 or struct.unpack('<I4', noted) < tonumber(order) then\n"
        "    return is_over == '1' and 0 or 1\n"
        "end\n"
        "return redis.call('GETBIT', reading, 32 + index)\n";
}

const char *store_script_keep_former_tokens(void) {
    return
        PART_pages
        PART_cells
        PART_former_tokens
        PART_keep_digest
        PART_write_rights
        "local counters = KEYS[1]\n"
        "local slot, digests, expires_at, are_over = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "require_writes(counters, 'PEXPIREAT')\n"
        "for at = 1, #digests, 8 do\n"
        "    local is_over = are_over == '1' and at + 8 > #digests\n"
        "    keep_digest(counters, slot, string.sub(digests, at, at + 7), expires_at, is_over)\n"
        "end\n"
        "return 1\n";
}

const char *store_script_name_live_activity(void) {
    return
        PART_report_times
        "local user = KEYS[1]\n"
        "local field, value = ARGV[1], ARGV[2]\n"
        "if redis.call('EXISTS', user) == 0 then return 1 end\n"
        "local known = redis.call('HGET', user, field)\n"
        "if known and string.sub(known, 1, -7) == string.sub(value, 1, -7) then return 1 end\n"
        "if redis.call('HLEN', user) >= 512 and redis.call('HEXISTS', user, field) == 0 then\n"
        "    local all, count, first, first_at = redis.call('HGETALL', user), 0, nil, nil\n"
        "    for index = 1, #all, 2 do\n"
        "        if string.sub(all[index], 1, 1) == 's' then\n"
        "            local at = time_of(all[index + 1], #all[index + 1] - 5)\n"
        "            count = count + 1\n"
        "            if not first_at or at < first_at then first, first_at = all[index], at end\n"
        "        end\n"
        "    end\n"
        "    if count >= 64 then redis.call('HDEL', user, first) end\n"
        "end\n"
        "redis.call('HSET', user, field, value)\n"
        "return 1\n";
}

const char *store_script_note_met(void) {
    return
        "local reading = KEYS[1]\n"
        "local order, index, expires_at = ARGV[1], ARGV[2], ARGV[3]\n"
        "local noted = redis.call('GETRANGE', reading, 0, 3)\n"
        "local noted_order = #noted == 4 and struct.unpack('<I4', noted) or 0\n"
        "if noted_order > tonumber(order) then return 1 end\n"
        "if noted_order < tonumber(order) then\n"
        "    redis.call('SET', reading, struct.pack('<I4', order), 'PXAT', expires_at)\n"
        "end\n"
        "redis.call('SETBIT', reading, 32 + index, 1)\n"
        "return 1\n";
}

const char *store_script_note_tap(void) {
    return
        PART_schedules
        PART_drivers
        PART_write_rights
        "local activity, taps = KEYS[1], KEYS[2]\n"
        "local insider_id, tap, now, remembered, capacity = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\n"
        "if redis.call('EXISTS', activity) == 0 then return false end\n"
        "local is_new = true\n"
        "if taps then\n"
        "    require_writes(activity, 'HINCRBY', 'PEXPIRE', 'ZPOPMIN')\n"
        "    redis.call('ZREMRANGEBYSCORE', taps, '-inf', now - remembered)\n"
        "    is_new = redis.call('ZADD', taps, 'NX', now, tap) == 1\n"
        "    local excess = redis.call('ZCARD', taps) - capacity\n"
        "    if excess > 0 then redis.call('ZPOPMIN', taps, excess) end\n"
        "    if is_new then redis.call('PEXPIRE', taps, remembered) end\n"
        "end\n"
        "if is_new then redis.call('HINCRBY', activity, 'taps', 1) end\n"
        "return driver(activity, insider_id)\n";
}

const char *store_script_put_update_cell(void) {
    return
        PART_pages
        PART_cells
        PART_page_writing
        PART_cell_writing
        PART_former_tokens
        PART_keep_digest
        PART_time_to_sync
        PART_followers
        PART_write_rights
        "local update_page, status_page, counters, pending_ends, start_page, doubts, start_counts, reading = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8]\n"
        "local index, cell, expires_at, slot, now, elsewhere = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "local index = tonumber(index)\n"
        "local pages, is = open_pages({ update_page, status_page, start_page }, { 'starts', 'restart', 'former:' .. slot })\n"
        "local update_page, status_page, start_page = unpack(pages)\n"
        "local starts, restart, earlier = unpack(is)\n"
        "local status = string.byte(read_range(status_page, index, index)) or 0\n"
        "if status == 0 or status == 2 then return { -1, '' } end\n"
        "local old, reason, width, rest = read_cell(update_page, index)\n"
        "local digest, token = last_digest(rest), string.sub(cell, 6)\n"
        "local is_over, is_new = status >= 16, false\n"
        "local was_refused = token ~= '' and (reason == 4 or reason == 5)\n"
        "local has_reported = old and not (old == '' and (reason == 0 or reason == 252))\n"
        "if token ~= '' and string.sub(old or '', 5) ~= token then\n"
        "    local rank = former_rank(earlier, digest, token, status)\n"
        "    local may_be_ended = rank == 1 and elsewhere == '3' or rank == 2 and was_refused\n"
        "    if is_over and (rank > 0 and not may_be_ended or elsewhere == '4') then return { 2, '' } end\n"
        "    if rank < 0 or elsewhere == '4' and (old or '') ~= '' then return { 6, '' } end\n"
        "    local is_rival = elsewhere == '5' and rank == 0 and has_reported\n"
        "    local may_be_elsewhere = elsewhere == '2' or elsewhere == '3' or elsewhere == '1' and rank == 0 or is_rival\n"
        "    if may_be_elsewhere and keeps_former(slot) then return { 4, '' } end\n"
        "    is_new = rank == 0 and keeps_former(slot)\n"
        "elseif token == '' and (elsewhere == '2' or elsewhere == '5') and has_reported and keeps_former(slot) then\n"
        "    return { 4, '' }\n"
        "end\n"
        "if is_over or status == 5 then\n"
        "    require_writes(counters, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')\n"
        "end\n"
        "if is_over then\n"
        "    if status ~= 20 or token == '' then return { (is_new or was_refused) and 5 or 2, '' } end\n"
        "    redis.call('HSET', pending_ends, slot, '=' .. status)\n"
        "    redis.call('PEXPIREAT', pending_ends, expires_at)\n"
        "    write_range(status_page, index, '\\003')\n"
        "    count_followers(counters, '', '\\003', expires_at)\n"
        "end\n"
        "if status == 5 then\n"
        "    write_range(status_page, index, '\\003')\n"
        "    count_followers(counters, '', '\\003', expires_at)\n"
        "    local broadcast = string.match(redis.call('HGET', doubts, slot) or '', '^%S+')\n"
        "    if broadcast then\n"
        "        redis.call('HDEL', doubts, slot)\n"
        "        redis.call('HINCRBY', counters, 'proven:' .. broadcast, 1)\n"
        "        redis.call('PEXPIREAT', counters, expires_at)\n"
        "    end\n"
        "elseif status == 1 and restart and (read_cell(start_page, index) or '') ~= '' then\n"
        "    write_cell(start_page, index, '\\0' .. '\\012', status_page, expires_at)\n"
        "end\n"
        "local pending = redis.call('HGET', pending_ends, slot) or ''\n"
        "local reached = now ~= '' and (status == 3 or status == 5) and 1 or 0\n"
        "if string.byte(cell) == 0 then\n"
        "    if old and (old ~= '' or reason == string.byte(cell, 2)) then return { 0, pending } end\n"
        "    if not width then require_writes(counters, 'PEXPIREAT') end\n"
        "    write_cell(update_page, index, cell .. digest, status_page, expires_at, width)\n"
        "    return { 1, pending, reached }\n"
        "end\n"
        "if old and old ~= '' then\n"
        "    if string.sub(old, 5) == token then return { 0, pending } end\n"
        "    digest = keeps_former(slot) and digest_of(string.sub(old, 5)) or ''\n"
        "end\n"
        "local is_read = reading and redis.call('EXISTS', reading) == 1\n"
        "if is_read then require_writes(counters, 'SETBIT') end\n"
        "if not old or old == '' then require_writes(counters, 'HINCRBY', 'PEXPIREAT') end\n"
        "keep_digest(counters, slot, digest, expires_at, is_over)\n"
        "write_cell(update_page, index, cell, status_page, expires_at, width)\n"
        "if is_read then redis.call('SETBIT', reading, 32 + index, 0) end\n"
        "local waited = now ~= '' and since_start(starts, restart, start_counts, tonumber(slot), tonumber(now)) or nil\n"
        "if not old or old == '' then\n"
        "    redis.call('HINCRBY', counters, 'synced', 1)\n"
        "    redis.call('PEXPIREAT', counters, expires_at)\n"
        "    local is_first = not old or reason == 0 or reason == 254 or reason == 252\n"
        "    if is_first and waited then count_sync(counters, waited, expires_at) end\n"
        "end\n"
        "return { is_over and 3 or 1, pending, reached, waited }\n";
}

const char *store_script_read_former_tokens(void) {
    return
        PART_pages
        PART_cells
        PART_former_tokens
        "local update_page, counters = KEYS[1], KEYS[3]\n"
        "local index, slot = ARGV[1], ARGV[2]\n"
        "local update_page = open_pages({ update_page })[1]\n"
        "local old, _, _, rest = read_cell(update_page, tonumber(index))\n"
        "return (redis.call('HGET', counters, 'former:' .. slot) or '') .. cell_without_token('', slot, old, rest)\n";
}

const char *store_script_show_again(void) {
    return
        PART_pages
        PART_cells
        PART_page_writing
        PART_cell_writing
        PART_former_tokens
        PART_followers
        PART_write_rights
        "local update_page, status_page, counters, pending_ends = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\n"
        "local index, ended_cell, slot, now, expires_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\n"
        "local index, time = tonumber(index), tonumber(now)\n"
        "local update_page, status_page = unpack(open_pages({ update_page, status_page }))\n"
        "local before = read_range(status_page, index, index)\n"
        "local status = string.byte(before) or 0\n"
        "if status < 16 or status == 20 then return 0 end\n"
        "local field = 'again:' .. slot\n"
        "local in_row = keeps_former(slot) and 4 or 1\n"
        "local last = math.max(tonumber(redis.call('HGET', counters, field) or 0), time - in_row * 60000)\n"
        "if time < last + 60000 then return 0 end\n"
        "require_writes(counters, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')\n"
        "redis.call('HSET', counters, field, string.format('%.0f', last + 60000))\n"
        "redis.call('HSET', pending_ends, slot, '=' .. status)\n"
        "redis.call('PEXPIREAT', pending_ends, expires_at)\n"
        "write_range(status_page, index, '\\003')\n"
        "count_followers(counters, before, '\\003')\n"
        "local old, _, width, rest = read_cell(update_page, index)\n"
        "write_cell(update_page, index, cell_without_token(ended_cell, slot, old, rest), status_page, expires_at, width)\n"
        "if not update_page.short and redis.call('PTTL', update_page.key) < expires_at - time then\n"
        "    redis.call('PEXPIREAT', update_page.key, expires_at)\n"
        "end\n"
        "return status\n";
}

const char *store_script_find_lost(void) {
    return
        PART_outcome_kinds
        PART_pages
        "local start_counts, pending_ends, pages_at = KEYS[1], KEYS[2], 3\n"
        "local evidence, doubtful, lost, started_at, most, first_slots_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], 6\n"
        "local byte = string.byte\n"
        "local is_search = evidence == 'search'\n"
        "local doubtful, lost = tonumber(doubtful), tonumber(lost)\n"
        "local started_at, most = tonumber(started_at), tonumber(most)\n"
        "local has_counts = is_search and redis.call('EXISTS', start_counts) == 1\n"
        "local has_ends = is_search and redis.call('EXISTS', pending_ends) == 1\n"
        "local function has_mark(tokens, width, mark)\n"
        "    local position = 0\n"
        "    while true do\n"
        "        position = string.find(tokens, mark, position + 1, true)\n"
        "        if not position then return false end\n"
        "        if (position - 3) % width == 0 and byte(tokens, position - 1) == 0 then return true end\n"
        "    end\n"
        "end\n"
        "local function is_to_start(status, mark, is_older)\n"
        "    if status == 21 and not is_search then return true end\n"
        "    if not mark or mark == 254 then return false end\n"
        "    if status == 0 or status == 2 or status >= 16 then return false end\n"
        "    if mark == 255 then return not lost or is_older(lost) end\n"
        "    if status == 3 then return false end\n"
        "    if not is_search then return status == 4 or status == 6 end\n"
        "    if mark ~= 252 then return false end\n"
        "    if status == 5 then return doubtful and is_older(doubtful) end\n"
        "    return status ~= 4\n"
        "end\n"
        "local found = {}\n"
        "local function look(statuses, tokens, outcome_page, first_slot)\n"
        "    local width = byte(tokens, 1) or 0\n"
        "    local reach = width > 1 and math.floor((#tokens - 1) / width) or 0\n"
        "    local times, codes, noted\n"
        "    local index\n"
        "    local function is_older(second)\n"
        "        if not times then\n"
        "            local page = read_page(outcome_page) or '\\0'\n"
        "            local kinds, position = kinds_of(page, 2, byte(page, 1) or 0)\n"
        "            times, codes = {}, string.sub(page, position)\n"
        "            for number, kind in ipairs(kinds) do times[number] = struct.unpack('<I4', kind) end\n"
        "        end\n"
        "        return (times[byte(codes, index + 1) or 0] or started_at) <= second\n"
        "    end\n"
        "    local function is_skipped(status, mark)\n"
        "        if has_counts and not noted then\n"
        "            local slots = {}\n"
        "            for place = 1, #statuses do slots[place] = string.format('%.0f', first_slot + place - 1) end\n"
        "            noted = redis.call('HMGET', start_counts, unpack(slots))\n"
        "        end\n"
        "        local starts = noted and tonumber(string.match(noted[index + 1] or '', '^%d+')) or 1\n"
        "        if status == 1 or status == 4 or status == 6 then\n"
        "            starts = math.max(0, starts - 1)\n"
        "        end\n"
        "        local is_doubted = mark == 252 and status == 5\n"
        "        return starts >= most + (is_doubted and 1 or 0)\n"
        "            or has_ends and redis.call('HEXISTS', pending_ends, string.format('%.0f', first_slot + index)) == 1\n"
        "    end\n"
        "    for place = 1, #statuses do\n"
        "        index = place - 1\n"
        "        local status, mark = byte(statuses, place), 0\n"
        "        local cell = index < reach and 2 + index * width\n"
        "        if cell then mark = byte(tokens, cell) == 0 and byte(tokens, cell + 1) end\n"
        "        if is_to_start(status, mark, is_older) and not (is_search and is_skipped(status, mark)) then\n"
        "            found[#found + 1] = first_slot + index\n"
        "            if is_search then return end\n"
        "        end\n"
        "    end\n"
        "end\n"
        "local pages = open_pages({ unpack(KEYS, pages_at) })\n"
        "for place = 0, #ARGV - first_slots_at do\n"
        "    local status_page, update_page, outcome_page = unpack(pages, 1 + 3 * place, 3 + 3 * place)\n"
        "    local tokens = read_page(update_page) or ''\n"
        "    local width = byte(tokens, 1) or 0\n"
        "    if not is_search or width > 1 and (has_mark(tokens, width, '\\255')\n"
        "        or has_mark(tokens, width, '\\252')) then\n"
        "        look(read_page(status_page) or '', tokens, outcome_page, tonumber(ARGV[first_slots_at + place]))\n"
        "    end\n"
        "end\n"
        "return found\n";
}

const char *store_script_postpone_healing(void) {
    return
        "local healing, due = KEYS[1], KEYS[2]\n"
        "local item, due_at, page = ARGV[1], ARGV[2], ARGV[3]\n"
        "if redis.call('EXISTS', healing) == 0 then\n"
        "    redis.call('ZREM', due, item)\n"
        "    return 0\n"
        "end\n"
        "redis.call('HSET', healing, 'page', page)\n"
        "redis.call('ZADD', due, 'XX', due_at, item)\n"
        "return 1\n";
}

const char *store_script_prepare_restart(void) {
    return
        PART_pages
        PART_cells
        PART_page_writing
        PART_cell_writing
        PART_former_tokens
        PART_keep_digest
        PART_followers
        PART_write_rights
        "local start_page, status_page, update_page, counters, pending_ends, start_counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]\n"
        "local expires_at, broadcast, first_slot, past_ends, left_cell, slots_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], 6\n"
        "require_writes(counters, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')\n"
        "local byte, sub = string.byte, string.sub\n"
        "local start_page, status_page, update_page = unpack(open_pages({ start_page, status_page, update_page }))\n"
        "local statuses, tokens = read_page(status_page) or '', read_page(update_page) or ''\n"
        "local width = byte(tokens, 1) or 0\n"
        "local has_pending = redis.call('EXISTS', pending_ends) == 1\n"
        "local reply, ready, widest, count = {}, {}, 2, 0\n"
        "for position = slots_at, #ARGV, 4 do\n"
        "    local index, was, cell, starts = unpack(ARGV, position, position + 3)\n"
        "    index = tonumber(index)\n"
        "    local slot = string.format('%.0f', first_slot + index)\n"
        "    local length, mark = 0, 0\n"
        "    if width > 1 then\n"
        "        length = byte(tokens, 2 + index * width) or 0\n"
        "        mark = byte(tokens, 3 + index * width) or 0\n"
        "    end\n"
        "    local letter = '1'\n"
        "    if sub(statuses, index + 1, index + 1) ~= sub(was, 1, 1) then\n"
        "        letter = '0'\n"
        "    elseif length > 0 then\n"
        "        letter = 'a'\n"
        "    elseif mark ~= byte(was, 2) then\n"
        "        letter = '0'\n"
        "    elseif has_pending and past_ends ~= '1' and redis.call('HEXISTS', pending_ends, slot) == 1 then\n"
        "        letter = 'e'\n"
        "    else\n"
        "        ready[index + 1] = cell\n"
        "        widest, count = math.max(widest, #cell), count + 1\n"
        "        if mark ~= byte(left_cell, 2) then\n"
        "            if width >= 10 then\n"
        "                local digest = last_digest(sub(tokens, 4 + index * width, 11 + index * width))\n"
        "                keep_digest(counters, slot, digest, expires_at, true)\n"
        "            end\n"
        "            write_cell(update_page, index, left_cell, status_page, expires_at)\n"
        "        end\n"
        "        if has_pending then redis.call('HDEL', pending_ends, slot) end\n"
        "        if starts ~= '' then redis.call('HSET', start_counts, slot, starts) end\n"
        "    end\n"
        "    reply[#reply + 1] = letter\n"
        "end\n"
        "if count > 0 then\n"
        "    local page = read_page(start_page)\n"
        "    local is = page and byte(page, 1) or widest\n"
        "    if page and is < widest then\n"
        "        page = string.char(widest) .. widened(sub(page, 2), is, widest)\n"
        "        is = widest\n"
        "    end\n"
        "    local parts, becomes = { string.char(is) }, {}\n"
        "    for place = 1, #statuses do\n"
        "        local cell = ready[place] or page and sub(page, 2 + (place - 1) * is, 1 + place * is) or ''\n"
        "        parts[#parts + 1] = cell .. string.rep('\\0', is - #cell)\n"
        "        becomes[place] = ready[place] and '\\001' or sub(statuses, place, place)\n"
        "    end\n"
        "    put_page(start_page, table.concat(parts), expires_at)\n"
        "    becomes = table.concat(becomes)\n"
        "    write_range(status_page, 0, becomes)\n"
        "    count_followers(counters, statuses, becomes)\n"
        "    redis.call('HSET', counters, 'restart', broadcast)\n"
        "    redis.call('PEXPIREAT', counters, expires_at)\n"
        "    redis.call('PEXPIREAT', start_counts, expires_at)\n"
        "end\n"
        "return table.concat(reply)\n";
}

const char *store_script_add_start_cells(void) {
    return
        PART_pages
        PART_cells
        PART_page_writing
        PART_cell_writing
        PART_identities
        PART_write_rights
        "local start_page, status_page, identities, counters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\n"
        "local first, width, cells, status, run, expires_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "local first, width, cells = tonumber(first), tonumber(width), cells\n"
        "local count = #cells / width\n"
        "local start_page, status_page, identities = unpack(open_pages({ start_page, status_page, identities }))\n"
        "local page = read_page(start_page) or string.char(width)\n"
        "local is = string.byte(page, 1)\n"
        "if is < width then\n"
        "    page = string.char(width) .. widened(string.sub(page, 2), is, width)\n"
        "elseif is > width then\n"
        "    cells = widened(cells, width, is)\n"
        "    width = is\n"
        "end\n"
        "local start = 1 + first * width\n"
        "page = page .. string.rep('\\0', start - #page)\n"
        "local before, after = 0, 0\n"
        "for offset = 1, #cells, width do\n"
        "    if string.byte(cells, offset) > 0 then after = after + 1 end\n"
        "    if (string.byte(page, start + offset) or 0) > 0 then before = before + 1 end\n"
        "end\n"
        "page = string.sub(page, 1, start) .. cells .. string.sub(page, start + #cells + 1)\n"
        "local statuses = read_page(status_page) or ''\n"
        "statuses = statuses .. string.rep('\\0', first - #statuses)\n"
        "statuses = string.sub(statuses, 1, first) .. string.rep(status, count) .. string.sub(statuses, first + count + 1)\n"
        "require_writes(counters, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET')\n"
        "put_page(status_page, statuses, expires_at, true)\n"
        "put_page(start_page, page, expires_at)\n"
        "put_run(identities, first, run, expires_at)\n"
        "redis.call('HINCRBY', counters, 'startable', after - before)\n"
        "redis.call('PEXPIREAT', counters, expires_at)\n"
        "return count\n";
}

const char *store_script_clear_update_cell(void) {
    return
        PART_pages
        PART_cells
        PART_page_writing
        PART_cell_writing
        PART_former_tokens
        PART_followers
        PART_looks
        PART_start_notes
        PART_write_rights
        "local update_page, status_page, counters, pending_ends, start_counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]\n"
        "local index, cell, new_status, latest, expires_at, slot, token, dismissal, ended_by, order = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10]\n"
        "local function is_token_lost(mark)\n"
        "    return mark == 255 or mark == 253 or mark == 252\n"
        "        or mark == 254 and order ~= '' or mark == 4 or mark == 5\n"
        "end\n"
        "local index = tonumber(index)\n"
        "local update_page, status_page = unpack(open_pages({ update_page, status_page }))\n"
        "if order ~= '' and is_started_since(start_counts, slot, order) then return 0 end\n"
        "local old, reason, width, rest = read_cell(update_page, index)\n"
        "if latest ~= '' then\n"
        "    local has_token = old and old ~= ''\n"
        "    local reported, latest = has_token and struct.unpack('<I4', old) or 0, tonumber(latest)\n"
        "    local is_newer = has_token and reported > latest\n"
        "    local is_unread = token == '' and (cell == '' or is_newer or ended_by ~= '' and reported ~= latest)\n"
        "    local is_other = has_token and (is_unread or token ~= '' and string.sub(old, 5) ~= token)\n"
        "    if ended_by ~= '' and (has_token or is_token_lost(reason))\n"
        "        and (string.byte(read_range(status_page, index, index)) or 16) < 16 then\n"
        "        if is_other then return redis.call('HGET', pending_ends, slot) == ended_by and 0 or 2 end\n"
        "        redis.call('HSET', pending_ends, slot, ended_by)\n"
        "        redis.call('PEXPIREAT', pending_ends, expires_at)\n"
        "    end\n"
        "    if cell == '' or not has_token or is_newer or is_other then return 0 end\n"
        "end\n"
        "local content = cell\n"
        "if new_status ~= '\\002' then\n"
        "    content = cell_without_token(cell, slot, old, rest, new_status ~= '')\n"
        "end\n"
        "require_writes(counters, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')\n"
        "write_cell(update_page, index, content, status_page, expires_at, width)\n"
        "if old and old ~= '' then redis.call('HINCRBY', counters, 'synced', -1) end\n"
        "if string.byte(cell, 1) == 0 and string.byte(cell, 2) == 255 or new_status == '\\021' then\n"
        "    note_look(counters, math.floor(tonumber(slot) / 868), expires_at)\n"
        "end\n"
        "if new_status ~= '' then\n"
        "    local status = read_range(status_page, index, index)\n"
        "    if status ~= '' and (string.byte(status) < 16 or new_status == '\\002') then\n"
        "        write_range(status_page, index, new_status)\n"
        "        count_followers(counters, status, new_status)\n"
        "        if dismissal == '1' then redis.call('HINCRBY', counters, 'dismissals', 1) end\n"
        "    end\n"
        "    if string.byte(new_status) >= 16 then redis.call('HDEL', pending_ends, slot) end\n"
        "    if new_status == '\\002' then redis.call('HDEL', counters, 'former:' .. slot) end\n"
        "end\n"
        "return 1\n";
}

const char *store_script_join_user(void) {
    return
        "local user = KEYS[1]\n"
        "local field, expected, value = ARGV[1], ARGV[2], ARGV[3]\n"
        "if (redis.call('HGET', user, field) or '') ~= expected then return 0 end\n"
        "if expected == '' and redis.call('EXISTS', user) == 0 then return 0 end\n"
        "redis.call('HSET', user, field, value)\n"
        "return 1\n";
}

const char *store_script_leave_user(void) {
    return
        "local user = KEYS[1]\n"
        "local field, expected = ARGV[1], ARGV[2]\n"
        "if redis.call('HGET', user, field) ~= expected then return 0 end\n"
        "return redis.call('HDEL', user, field)\n";
}

const char *store_script_place_device(void) {
    return
        PART_pages
        PART_page_writing
        PART_identities
        "local status_page, update_page, identities = KEYS[1], KEYS[2], KEYS[3]\n"
        "local index, expires_at, status, identity = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local index = tonumber(index)\n"
        "local status_page, update_page, identities = unpack(open_pages({ status_page, update_page, identities }))\n"
        "local length = length_of(status_page)\n"
        "if index >= length then\n"
        "    local size = 1\n"
        "    while size <= index do size = size * 4 end\n"
        "    size = math.min(size, 868)\n"
        "    put_page(status_page, (read_page(status_page) or '') .. string.rep('\\0', size - length), expires_at,\n"
        "        true)\n"
        "    local tokens = read_page(update_page)\n"
        "    if tokens then\n"
        "        local width = string.byte(tokens, 1)\n"
        "        local missing = math.max(0, 1 + width * size - #tokens)\n"
        "        put_page(update_page, tokens .. string.rep('\\0', missing), expires_at)\n"
        "    end\n"
        "end\n"
        "if read_range(status_page, index, index) ~= '\\0' then return 0 end\n"
        "put_run(identities, index, identity, expires_at)\n"
        "write_range(status_page, index, status)\n"
        "return 1\n";
}

const char *store_script_put_start_cell(void) {
    return
        PART_pages
        PART_cells
        PART_page_writing
        PART_cell_writing
        PART_followers
        PART_write_rights
        "local start_page, status_page, counters = KEYS[1], KEYS[2], KEYS[3]\n"
        "local index, cell, new_status = ARGV[1], ARGV[2], ARGV[3]\n"
        "local index = tonumber(index)\n"
        "local start_page, status_page = unpack(open_pages({ start_page, status_page }))\n"
        "local old, _, width = read_cell(start_page, index)\n"
        "if not old then return 0 end\n"
        "local before, after = old ~= '' and 1 or 0, string.byte(cell, 1) > 0 and 1 or 0\n"
        "if before ~= after or new_status ~= '' then require_writes(counters, 'HINCRBY', 'HSET', 'SETRANGE') end\n"
        "write_cell(start_page, index, cell, status_page, 0, width)\n"
        "if before ~= after then redis.call('HINCRBY', counters, 'startable', after - before) end\n"
        "local status = read_range(status_page, index, index)\n"
        "if new_status ~= '' and status ~= '' then\n"
        "    count_followers(counters, status, new_status)\n"
        "    write_range(status_page, index, new_status)\n"
        "end\n"
        "return 1\n";
}

const char *store_script_read_cells(void) {
    return
        PART_pages
        PART_cells
        "local token_page, status_page = KEYS[1], KEYS[2]\n"
        "local reply = {}\n"
        "local token_page, status_page = unpack(open_pages({ token_page, status_page }))\n"
        "local width = width_of(token_page) or 0\n"
        "local page = #ARGV > 16 and (read_page(token_page) or '')\n"
        "local statuses = #ARGV > 16 and (read_page(status_page) or '')\n"
        "for position, index in ipairs(ARGV) do\n"
        "    index = tonumber(index)\n"
        "    local start = 1 + index * width\n"
        "    local cell = ''\n"
        "    local status\n"
        "    if page then\n"
        "        cell = string.sub(page, start + 1, start + width)\n"
        "    elseif width > 0 then\n"
        "        cell = read_range(token_page, start, start + width - 1)\n"
        "    end\n"
        "    if statuses then\n"
        "        status = string.sub(statuses, index + 1, index + 1)\n"
        "    else\n"
        "        status = read_range(status_page, index, index)\n"
        "    end\n"
        "    if status == '' then status = '\\0' end\n"
        "    local length = string.byte(cell, 1) or 0\n"
        "    if length > 0 then\n"
        "        reply[position * 2 - 1] = status\n"
        "        reply[position * 2] = string.sub(cell, 2, 1 + length)\n"
        "    else\n"
        "        reply[position * 2 - 1] = status .. string.char(string.byte(cell, 2) or 0)\n"
        "        reply[position * 2] = ''\n"
        "    end\n"
        "end\n"
        "return reply\n";
}

const char *store_script_read_pages(void) {
    return
        PART_pages
        "local pages_at = 1\n"
        "local reply = {}\n"
        "for place, page in ipairs((open_pages({ unpack(KEYS, pages_at) }))) do reply[place] = read_page(page) or '' end\n"
        "return reply\n";
}

const char *store_script_replace_identities(void) {
    return
        PART_pages
        PART_page_writing
        PART_identities
        "local identities = KEYS[1]\n"
        "local first, expected, run, expires_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local identities = unpack(open_pages({ identities }))\n"
        "if find_run(identities, first) ~= expected then return 0 end\n"
        "put_run(identities, first, run, expires_at)\n"
        "return 1\n";
}

const char *store_script_replace_update_token(void) {
    return
        PART_pages
        PART_cells
        PART_page_writing
        PART_cell_writing
        PART_write_rights
        "local update_page, status_page, counters, reading = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\n"
        "local index, cell, expires_at = ARGV[1], ARGV[2], ARGV[3]\n"
        "local index = tonumber(index)\n"
        "local update_page, status_page = unpack(open_pages({ update_page, status_page }))\n"
        "local status = string.byte(read_range(status_page, index, index)) or 0\n"
        "if status == 0 or status == 2 or status >= 16 then return 0 end\n"
        "local old, reason, width = read_cell(update_page, index)\n"
        "if not old or old == '' and reason ~= 254 then return 0 end\n"
        "local content = string.sub(cell, 6)\n"
        "if string.sub(old, 5) == content and content ~= '\\001' then return 0 end\n"
        "local is_read = redis.call('EXISTS', reading) == 1\n"
        "if is_read then require_writes(counters, 'SETBIT') end\n"
        "if old == '' then require_writes(counters, 'HINCRBY', 'PEXPIREAT') end\n"
        "write_cell(update_page, index, cell, status_page, expires_at, width)\n"
        "if is_read then redis.call('SETBIT', reading, 32 + index, 0) end\n"
        "if old == '' then\n"
        "    redis.call('HINCRBY', counters, 'synced', 1)\n"
        "    redis.call('PEXPIREAT', counters, expires_at)\n"
        "end\n"
        "return 1\n";
}

const char *store_script_take_slot(void) {
    return
        PART_slot_ranges
        "local activity = KEYS[1]\n"
        "local most, field, first = ARGV[1], ARGV[2], ARGV[3]\n"
        "local is = redis.call('HMGET', activity, 'tenant', field)\n"
        "local size = tonumber(is[2]) or 0\n"
        "if not is[1] or size >= tonumber(most) then return false end\n"
        "redis.call('HSET', activity, field, size + 1)\n"
        "confirm_slots(activity, first + size, first + size + 1)\n"
        "return first + size\n";
}

const char *store_script_add_schedule(void) {
    return
        "local activity, schedule, waiting, due, own = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]\n"
        "local most, id, item, due_at, expires_at, fields_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], 6\n"
        "local state = redis.call('HGET', activity, 'state')\n"
        "if state ~= '0' and state ~= '1' then return 0 end\n"
        "if redis.call('EXISTS', schedule) == 1 then return 3 end\n"
        "if redis.call('ZCARD', own or waiting) >= tonumber(most) then return 2 end\n"
        "redis.call('ZADD', waiting, due_at, id)\n"
        "redis.call('PEXPIREAT', waiting, expires_at)\n"
        "if own then\n"
        "    redis.call('ZADD', own, due_at, id)\n"
        "    redis.call('PEXPIREAT', own, expires_at)\n"
        "end\n"
        "redis.call('ZADD', due, due_at, item)\n"
        "redis.call('HSET', schedule, unpack(ARGV, fields_at))\n"
        "redis.call('PEXPIREAT', schedule, expires_at)\n"
        "return 1\n";
}

const char *store_script_change_schedule(void) {
    return
        "local schedule, waiting, due, own = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\n"
        "local id, item, version, devices = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "if not redis.call('ZSCORE', due, item) then return 0 end\n"
        "if (redis.call('HGET', schedule, 'v') or '0') ~= version then return 0 end\n"
        "if devices ~= '' then\n"
        "    redis.call('HSET', schedule, 'targets', devices)\n"
        "    redis.call('HINCRBY', schedule, 'v', 1)\n"
        "    return 1\n"
        "end\n"
        "redis.call('ZREM', waiting, id)\n"
        "if own then redis.call('ZREM', own, id) end\n"
        "redis.call('DEL', schedule)\n"
        "redis.call('ZREM', due, item)\n"
        "return 1\n";
}

const char *store_script_conclude_schedule(void) {
    return
        PART_schedules
        "local activity, due = KEYS[1], KEYS[2]\n"
        "local activity_id, id, now, state, reason = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\n"
        "if not redis.call('ZSCORE', due, 's:' .. activity_id .. ':' .. id) then return 0 end\n"
        "end_schedule(activity, due, activity_id, id, now, state, reason ~= '' and 'reason', reason)\n"
        "return 1\n";
}

const char *store_script_delete_segment(void) {
    return
        PART_segment_cleanups
        PART_write_rights
        "local segment, names, cleanups = KEYS[1], KEYS[2], KEYS[3]\n"
        "local writer, name, now = ARGV[1], ARGV[2], ARGV[3]\n"
        "local all = redis.call('HGETALL', segment)\n"
        "if #all == 0 then return 0 end\n"
        "local retired = {}\n"
        "for index = 1, #all, 2 do\n"
        "    if tonumber(all[index]) then retire(retired, all[index], all[index + 1]) end\n"
        "end\n"
        "require_writes(segment, 'DEL', 'HDEL', 'HSET', 'ZREM')\n"
        "redis.call('DEL', segment)\n"
        "redis.call('ZREM', names, name)\n"
        "note(cleanups, writer, now, retired)\n"
        "return 1\n";
}

const char *store_script_install_segment(void) {
    return
        PART_segment_cleanups
        PART_write_rights
        "local segment, names, cleanups = KEYS[1], KEYS[2], KEYS[3]\n"
        "local writer, name, expected, users, now, partitions, replaces, parts_at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], 8\n"
        "local replaces_all = replaces == '1'\n"
        "local version = redis.call('HGET', segment, 'version')\n"
        "if expected ~= '' then\n"
        "    if not version then return -1 end\n"
        "    if version ~= expected then return 0 end\n"
        "end\n"
        "local cleanup = redis.call('HGET', cleanups, writer)\n"
        "if not cleanup or string.sub(cleanup, 1, 1) ~= 'w' then return -3 end\n"
        "if not version and redis.call('ZCARD', names) >= 10000 then return -2 end\n"
        "require_writes(segment, 'DEL', 'HDEL', 'HSET', 'ZADD')\n"
        "local retired = {}\n"
        "if replaces_all then\n"
        "    local all = redis.call('HGETALL', segment)\n"
        "    for index = 1, #all, 2 do\n"
        "        if tonumber(all[index]) then retire(retired, all[index], all[index + 1]) end\n"
        "    end\n"
        "    redis.call('DEL', segment)\n"
        "end\n"
        "for index = parts_at, #ARGV, 2 do\n"
        "    local partition, part = ARGV[index], ARGV[index + 1]\n"
        "    local old = redis.call('HGET', segment, partition)\n"
        "    if old then retire(retired, partition, old) end\n"
        "    if part == '' then\n"
        "        redis.call('HDEL', segment, partition)\n"
        "    else\n"
        "        redis.call('HSET', segment, partition, part)\n"
        "    end\n"
        "end\n"
        "redis.call('HSET', segment, 'version', writer, 'users', users, 'updated_at', now, 'partitions', partitions)\n"
        "redis.call('ZADD', names, 0, name)\n"
        "note(cleanups, writer, now, retired)\n"
        "return 1\n";
}

const char *store_script_take_over_segment_cleanup(void) {
    return
        "local cleanups = KEYS[1]\n"
        "local writer, cleanup = ARGV[1], ARGV[2]\n"
        "if redis.call('HGET', cleanups, writer) ~= cleanup then return 0 end\n"
        "redis.call('HSET', cleanups, writer, 'x' .. string.sub(cleanup, 2))\n"
        "return 1\n";
}

const char *store_script_admit(void) {
    return
        PART_write_rights
        PART_rate_window
        "local credential, rate_window = KEYS[1], KEYS[2]\n"
        "local kind, limit, window, now, known = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\n"
        "local key = redis.call('HMGET', credential, 'tenant', 'kind', 'enabled', 'tier', 'identity', 'identity_required',\n"
        "    'identity_old', 'limits', 'window_until')\n"
        "if not key[1] or key[2] ~= kind then return false end\n"
        "local limit, window = tonumber(limit), tonumber(window)\n"
        "local identity = key[5] or ''\n"
        "if key[7] and key[7] ~= '' then\n"
        "    local time = redis.call('TIME')\n"
        "    for hash, ends in string.gmatch(key[7], '(%x+):(%d+)') do\n"
        "        if tonumber(ends) > time[1] * 1000 + time[2] / 1000 then identity = identity .. ',' .. hash end\n"
        "    end\n"
        "end\n"
        "if limit == 0 then\n"
        "    return { key[1], key[3], key[4], identity, key[6] or '0', 0, 0, key[8] or '' }\n"
        "end\n"
        "local now = tonumber(now)\n"
        "if not now then\n"
        "    local time = redis.call('TIME')\n"
        "    now = time[1] * 1000 + math.floor(time[2] / 1000)\n"
        "end\n"
        "local is_allowed, left, free_at =\n"
        "    take_request(rate_window, credential, limit, window, now, tonumber(known), tonumber(key[9]))\n"
        "return { key[1], key[3], key[4], identity, key[6] or '0', is_allowed and left, free_at, key[8] or '' }\n";
}

const char *store_script_change_tenant(void) {
    return
        "local tenant = KEYS[1]\n"
        "local fields_at = 1\n"
        "if redis.call('EXISTS', tenant) == 0 then return false end\n"
        "for position = fields_at, #ARGV, 2 do\n"
        "    if ARGV[position + 1] == '' then\n"
        "        redis.call('HDEL', tenant, ARGV[position])\n"
        "    else\n"
        "        redis.call('HSET', tenant, ARGV[position], ARGV[position + 1])\n"
        "    end\n"
        "end\n"
        "redis.call('HINCRBY', tenant, 'revision', 1)\n"
        "local time = redis.call('TIME')\n"
        "return { time[1] * 1000 + math.floor(time[2] / 1000), redis.call('HGETALL', tenant) }\n";
}

const char *store_script_forget_secrets(void) {
    return
        "local tenant = KEYS[1]\n"
        "local kind, hashes_at = ARGV[1], 2\n"
        "local gone = {}\n"
        "for index = hashes_at, #ARGV do gone[ARGV[index]] = true end\n"
        "local left = {}\n"
        "for hash, ends in string.gmatch(redis.call('HGET', tenant, kind .. '_old') or '', '(%x+):(%d+)') do\n"
        "    if not gone[hash] then left[#left + 1] = hash .. ':' .. ends end\n"
        "end\n"
        "if #left > 0 then\n"
        "    redis.call('HSET', tenant, kind .. '_old', table.concat(left, ','))\n"
        "else\n"
        "    redis.call('HDEL', tenant, kind .. '_old')\n"
        "end\n"
        "return 1\n";
}

const char *store_script_put_credential(void) {
    return
        "local credential = KEYS[1]\n"
        "local revision, counts_until, fields_at = ARGV[1], ARGV[2], 3\n"
        "local stored = tonumber(redis.call('HGET', credential, 'revision') or 0)\n"
        "if stored > tonumber(revision) then return 0 end\n"
        "if counts_until == '0' then\n"
        "    redis.call('DEL', credential)\n"
        "    redis.call('HSET', credential, 'revision', revision)\n"
        "    redis.call('PEXPIRE', credential, 3600000)\n"
        "    return 1\n"
        "end\n"
        "redis.call('HSET', credential, 'revision', revision, unpack(ARGV, fields_at))\n"
        "if counts_until == '' then\n"
        "    redis.call('PERSIST', credential)\n"
        "else\n"
        "    redis.call('PEXPIREAT', credential, counts_until)\n"
        "end\n"
        "return 1\n";
}

const char *store_script_reseal_secrets(void) {
    return
        "local tenant = KEYS[1]\n"
        "local secrets_at = 1\n"
        "local is = redis.call('HMGET', tenant, 'identity', 'identity_old')\n"
        "if not is[1] then return false end\n"
        "local fresh = {}\n"
        "for index = secrets_at, #ARGV, 2 do fresh[ARGV[index]] = ARGV[index + 1] end\n"
        "redis.call('HSET', tenant, 'identity', fresh[is[1]] or is[1])\n"
        "if is[2] then\n"
        "    local old = string.gsub(is[2], '(%x+):', function(kept) return (fresh[kept] or kept) .. ':' end)\n"
        "    redis.call('HSET', tenant, 'identity_old', old)\n"
        "end\n"
        "redis.call('HINCRBY', tenant, 'revision', 1)\n"
        "local time = redis.call('TIME')\n"
        "return { time[1] * 1000 + math.floor(time[2] / 1000), redis.call('HGETALL', tenant) }\n";
}

const char *store_script_rotate_secret(void) {
    return
        "local tenant = KEYS[1]\n"
        "local kind, seen, fresh, overlap, most = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\n"
        "if redis.call('EXISTS', tenant) == 0 then return 0 end\n"
        "local is = redis.call('HMGET', tenant, kind, kind .. '_old', 'revision')\n"
        "if (is[1] or '') ~= seen then return 1 end\n"
        "local time = redis.call('TIME')\n"
        "local now = time[1] * 1000 + math.floor(time[2] / 1000)\n"
        "local latest = now + tonumber(overlap)\n"
        "local old, live = {}, 0\n"
        "for hash, ends in string.gmatch(seen .. ':' .. string.format('%.0f', latest) .. ',' .. (is[2] or ''),\n"
        "    '(%x+):(%d+)')\n"
        "do\n"
        "    ends = math.min(tonumber(ends), latest)\n"
        "    if ends > now then live = live + 1 end\n"
        "    old[#old + 1] = hash .. ':' .. string.format('%.0f', ends)\n"
        "end\n"
        "if live > tonumber(most) then return 2 end\n"
        "redis.call('HSET', tenant, kind, fresh, kind .. '_old', table.concat(old, ','), 'revision', (is[3] or 0) + 1)\n"
        "return { 3, now, redis.call('HGETALL', tenant) }\n";
}

const char *store_script_conclude_topic(void) {
    return
        "local topic = KEYS[1]\n"
        "local driver, activity, reason, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local is = redis.call('HMGET', topic, 'driver', 'activity', 'life', 'activity_life', 'state')\n"
        "if is[1] ~= driver or (is[2] or '') ~= activity and activity ~= '' then return 0 end\n"
        "redis.call('DEL', topic .. '/q', topic .. '/h')\n"
        "if is[5] == 'live' and (activity == '' or is[3] == is[4]) then\n"
        "    redis.call('HDEL', topic, 'digest')\n"
        "    redis.call('HSET', topic, 'state', 'ended', 'concluded', reason, 'changed_at', now)\n"
        "end\n"
        "if activity ~= '' then redis.call('HSET', topic, 'over', '1') end\n"
        "return 1\n";
}

const char *store_script_delete_topic(void) {
    return
        "local topic, due = KEYS[1], KEYS[2]\n"
        "local item = ARGV[1]\n"
        "local is = redis.call('HMGET', topic, 'state', 'activity', 'over', 'levels', 'driver', 'candidate')\n"
        "if not is[1] then return false end\n"
        "if is[1] == 'live' or is[2] and not is[3] or is[5] or is[6] then return 0 end\n"
        "local function drop(prefix, count)\n"
        "    for first = 0, count - 1, 1024 do\n"
        "        local keys = {}\n"
        "        for number = first, math.min(first + 1023, count - 1) do keys[#keys + 1] = prefix .. number end\n"
        "        redis.call('UNLINK', unpack(keys))\n"
        "    end\n"
        "end\n"
        "if (is[4] or '') >= '1' then drop(topic .. '/w1:', 128) end\n"
        "if (is[4] or '') >= '2' then drop(topic .. '/w2:', 16384) end\n"
        "redis.call('ZREM', due, item)\n"
        "redis.call('DEL', topic, topic .. '/w', topic .. '/q', topic .. '/h')\n"
        "return 1\n";
}

const char *store_script_find_wishes(void) {
    return
        PART_wishes
        "local topic = KEYS[1]\n"
        "local found = {}\n"
        "for position, user in ipairs(ARGV) do\n"
        "    found[position] = '-'\n"
        "    for _, key in ipairs(wish_keys(topic, user)) do\n"
        "        local is = redis.call('HGET', key, user)\n"
        "        if is then\n"
        "            found[position] = string.sub(is, 1, 1)\n"
        "            break\n"
        "        end\n"
        "    end\n"
        "end\n"
        "return table.concat(found)\n";
}

const char *store_script_follow_topic(void) {
    return
        PART_wishes
        PART_wish_writing
        PART_queueing
        PART_report_times
        PART_write_rights
        "local topic, due = KEYS[1], KEYS[2]\n"
        "local item, user, wish, reported_at, now, life = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "local state = redis.call('HGET', topic, 'state')\n"
        "if not state then return 0 end\n"
        "local key, is = wish_of(topic, user)\n"
        "local reported = tonumber(reported_at)\n"
        "if is_too_old(reported, life) then return -1 end\n"
        "if is and struct.unpack('<I6', is, 2) > reported then return { 1, state, 0 } end\n"
        "if is and string.sub(is, 1, 1) == wish then\n"
        "    redis.call('HSET', key, user, wish .. struct.pack('<I6', reported))\n"
        "    return { 1, state, 0 }\n"
        "end\n"
        "require_writes(topic, 'HINCRBY', 'HSET', 'ZADD')\n"
        "put_wish(topic, key, user, is, wish, reported)\n"
        "if state == 'live' then\n"
        "    queue_user(topic, user, now)\n"
        "    redis.call('ZADD', due, 'LT', now, item)\n"
        "end\n"
        "return { 1, state, 1 }\n";
}

const char *store_script_forget_follower(void) {
    return
        PART_wishes
        PART_write_rights
        "local topic = KEYS[1]\n"
        "local user, latest = ARGV[1], ARGV[2]\n"
        "local _, is = wish_of(topic, user)\n"
        "if is and struct.unpack('<I6', is, 2) > tonumber(latest) then return 0 end\n"
        "require_writes(topic, 'HDEL', 'HINCRBY', 'ZREM')\n"
        "local found = redis.call('ZREM', topic .. '/q', user) + redis.call('HDEL', topic .. '/h', user)\n"
        "if not is then return found > 0 and 1 or 0 end\n"
        "for _, key in ipairs(wish_keys(topic, user)) do redis.call('HDEL', key, user) end\n"
        "if redis.call('EXISTS', topic) == 1 then\n"
        "    redis.call('HINCRBY', topic, string.sub(is, 1, 1) == '1' and 'following' or 'unfollowed', -1)\n"
        "end\n"
        "return 1\n";
}

const char *store_script_lease_topic(void) {
    return
        "local topic, due = KEYS[1], KEYS[2]\n"
        "local driver, item, now, until_then = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\n"
        "local is = redis.call('HMGET', topic, 'state', 'driver', 'driver_until')\n"
        "if not is[1] then return 0 end\n"
        "if is[2] and is[2] ~= driver and tonumber(is[3] or '0') > tonumber(now) then\n"
        "  redis.call('ZADD', due, 'LT', is[3], item)\n"
        "  return { 2, tonumber(is[3]) }\n"
        "end\n"
        "redis.call('HSET', topic, 'driver', driver, 'driver_until', until_then)\n"
        "return { 1, redis.call('HGETALL', topic) }\n";
}

const char *store_script_note_candidate(void) {
    return
        "local topic = KEYS[1]\n"
        "local driver, activity = ARGV[1], ARGV[2]\n"
        "local is = redis.call('HMGET', topic, 'driver', 'candidate')\n"
        "if is[1] ~= driver then return 0 end\n"
        "if activity ~= '' then\n"
        "    redis.call('HSET', topic, 'candidate', activity)\n"
        "else\n"
        "    redis.call('HDEL', topic, 'candidate')\n"
        "end\n"
        "return { 1, is[2] or '' }\n";
}

const char *store_script_note_drive(void) {
    return
        "local topic = KEYS[1]\n"
        "local driver, field, value = ARGV[1], ARGV[2], ARGV[3]\n"
        "if redis.call('HGET', topic, 'driver') ~= driver then return 0 end\n"
        "if value == '' then\n"
        "    redis.call('HDEL', topic, field)\n"
        "else\n"
        "    redis.call('HSET', topic, field, value)\n"
        "end\n"
        "return 1\n";
}

const char *store_script_note_follow(void) {
    return
        PART_report_times
        "local follows, erased, user = KEYS[1], KEYS[2], KEYS[3]\n"
        "local topic, wish, most, reported, may, life = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "local erased_at = redis.call('HGET', erased, '')\n"
        "if erased_at and is_newer(erased_at, 1, time_of(reported, 1) - 1) then return -1 end\n"
        "if is_too_old(time_of(reported, 1), life) then return -3 end\n"
        "local known = redis.call('HMGET', user, 'v', 'w')\n"
        "local is_new = not known[1]\n"
        "if is_new and may ~= 'u' then return -2 end\n"
        "local followed_at = redis.call('HGET', follows, topic)\n"
        "if not (followed_at and is_newer(followed_at, 1, time_of(reported, 1))) then\n"
        "    if wish == '0' then\n"
        "        redis.call('HDEL', follows, topic)\n"
        "    else\n"
        "        if not followed_at and redis.call('HLEN', follows) >= tonumber(most) then return 0 end\n"
        "        redis.call('HSET', follows, topic, reported)\n"
        "    end\n"
        "end\n"
        "if is_new then\n"
        "    redis.call('HSET', user, 'v', '1', 'w', '1')\n"
        "    return 2\n"
        "end\n"
        "if not known[2] then redis.call('HSET', user, 'w', '1') end\n"
        "return 1\n";
}

const char *store_script_note_starts(void) {
    return
        PART_write_rights
        "local topic = KEYS[1]\n"
        "local now, most, users_at = ARGV[1], ARGV[2], 3\n"
        "require_writes(topic, 'PEXPIRE')\n"
        "local hour, replies = 3600000, {}\n"
        "local now, most = tonumber(now), tonumber(most)\n"
        "for position = users_at, #ARGV do\n"
        "    local times = redis.call('HGET', topic .. '/h', ARGV[position]) or ''\n"
        "    while #times >= 6 and struct.unpack('<I6', times) <= now - hour do times = string.sub(times, 7) end\n"
        "    if #times < 6 * most then\n"
        "        redis.call('HSET', topic .. '/h', ARGV[position], times .. struct.pack('<I6', now))\n"
        "        replies[#replies + 1] = '0'\n"
        "    else\n"
        "        local oldest = #times >= 6 and struct.unpack('<I6', times) or now\n"
        "        replies[#replies + 1] = string.format('%.0f', oldest + hour)\n"
        "    end\n"
        "end\n"
        "redis.call('PEXPIRE', topic .. '/h', hour)\n"
        "return replies\n";
}

const char *store_script_put_topic(void) {
    return
        "local topic, due, running = KEYS[1], KEYS[2], KEYS[3]\n"
        "local item, now, tenant, name, type, state, digest, sequence, start, update, ending, priority, ends_at, channel, id_attribute, label, attributes, seen = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13], ARGV[14], ARGV[15], ARGV[16], ARGV[17], ARGV[18]\n"
        "local is_type, is_state, is_digest, is_sequence, is_start, is_life, is_version = unpack(\n"
        "    redis.call('HMGET', topic, 'type', 'state', 'digest', 'sequence', 'start', 'life', 'version'))\n"
        "if sequence ~= '' and is_sequence and tonumber(sequence) < tonumber(is_sequence) then return { 3, is_sequence } end\n"
        "if is_state == 'live' and is_type ~= type then return { 4, is_type } end\n"
        "if is_state == 'live' and state == 'upcoming' then return { 5 } end\n"
        "local is_new_life = is_state == 'ended' and state ~= 'ended'\n"
        "if state == 'live' and start == '' and (not is_start or is_new_life) then return { 6 } end\n"
        "local function put(field, value)\n"
        "    if value ~= '' then redis.call('HSET', topic, field, value) else redis.call('HDEL', topic, field) end\n"
        "end\n"
        "local function put_label()\n"
        "    put('label', label)\n"
        "    if not running or redis.call('EXISTS', running) == 0 then return end\n"
        "    if label ~= '' then redis.call('HSET', running, 'label', label) else redis.call('HDEL', running, 'label') end\n"
        "end\n"
        "if is_digest == digest then\n"
        "    if sequence ~= '' then redis.call('HSET', topic, 'sequence', sequence) end\n"
        "    put_label()\n"
        "    return { 2, is_version }\n"
        "end\n"
        "if seen ~= (is_state and is_version .. ' ' .. is_state or '') then return { 7 } end\n"
        "if is_new_life then\n"
        "    redis.call('HDEL', topic, 'start', 'attributes', 'update', 'concluded', 'oversize', 'id_attribute')\n"
        "end\n"
        "if id_attribute ~= '' then redis.call('HSET', topic, 'id_attribute', id_attribute) end\n"
        "if start ~= '' then redis.call('HSET', topic, 'start', start) end\n"
        "if attributes ~= '' then redis.call('HSET', topic, 'attributes', attributes) end\n"
        "if update ~= '' and state ~= 'ended' then redis.call('HSET', topic, 'update', update) end\n"
        "if state == 'ended' or is_new_life and ending ~= '' then put('ending', ending) end\n"
        "put('priority', priority)\n"
        "put('ends_at', ends_at)\n"
        "put('channel', channel)\n"
        "put_label()\n"
        "if sequence ~= '' then redis.call('HSET', topic, 'sequence', sequence) end\n"
        "if not is_state then redis.call('HSET', topic, 'tenant', tenant, 'name', name, 'created_at', now) end\n"
        "if state == 'live' and is_state ~= 'live' then redis.call('HSET', topic, 'live_since', now) end\n"
        "redis.call('ZADD', due, now, item)\n"
        "local version, new_life = (tonumber(is_version) or 0) + 1, {}\n"
        "if not is_state or is_new_life then new_life = { 'life', is_state and is_life + 1 or 1 } end\n"
        "redis.call('HSET', topic, 'type', type, 'state', state, 'digest', digest, 'changed_at', now, 'version', version,\n"
        "    unpack(new_life))\n"
        "return { 1, version }\n";
}

const char *store_script_queue_followers(void) {
    return
        PART_queueing
        "local topic, due = KEYS[1], KEYS[2]\n"
        "local item, at, users_at = ARGV[1], ARGV[2], 3\n"
        "if redis.call('HGET', topic, 'state') ~= 'live' then return 0 end\n"
        "local count = 0\n"
        "for position = users_at, #ARGV do\n"
        "    if queue_user(topic, ARGV[position], at) then count = count + 1 end\n"
        "end\n"
        "redis.call('ZADD', due, 'LT', at, item)\n"
        "return count\n";
}

const char *store_script_release_topic(void) {
    return
        "local topic, due = KEYS[1], KEYS[2]\n"
        "local driver, item, version, now, next, hurry = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\n"
        "if redis.call('HGET', topic, 'driver') ~= driver then return 1 end\n"
        "local is = redis.call('HMGET', topic, 'version', 'state', 'relist')\n"
        "if is[2] ~= 'live' then redis.call('DEL', topic .. '/q', topic .. '/h') end\n"
        "local first = redis.call('ZRANGE', topic .. '/q', 0, 0, 'WITHSCORES')[2]\n"
        "local is_listed = is[2] == 'live' and is[3]\n"
        "if hurry ~= '1' and (is[1] ~= version or is_listed or first and tonumber(first) <= tonumber(now)) then return 0 end\n"
        "if is[2] == 'live' or hurry == '1' then\n"
        "    local at = tonumber(next)\n"
        "    if first and hurry ~= '1' then at = math.min(at, tonumber(first)) end\n"
        "    redis.call('ZADD', due, string.format('%.0f', at), item)\n"
        "    redis.call('HDEL', topic, 'driver', 'driver_until')\n"
        "    return at\n"
        "end\n"
        "redis.call('ZREM', due, item)\n"
        "redis.call('HDEL', topic, 'driver', 'driver_until')\n"
        "return 1\n";
}

const char *store_script_reserve_topic_slots(void) {
    return
        "local activity, topic = KEYS[1], KEYS[2]\n"
        "local driver, most, leaving, bands_at = ARGV[1], ARGV[2], ARGV[3], 4\n"
        "if redis.call('HGET', topic, 'driver') ~= driver then return false end\n"
        "if redis.call('HGET', activity, 'state') ~= '1' then return false end\n"
        "local sizes, placing, grown = {}, {}, {}\n"
        "for position = bands_at, #ARGV, 3 do\n"
        "    local size = tonumber(redis.call('HGET', activity, ARGV[position])) or 0\n"
        "    if size + ARGV[position + 1] > tonumber(most) then return false end\n"
        "    sizes[#sizes + 1] = size\n"
        "    grown[#grown + 1], grown[#grown + 2] = ARGV[position], size + ARGV[position + 1]\n"
        "    placing[#placing + 1] = struct.pack('<I4I4', ARGV[position + 2] + size, ARGV[position + 1])\n"
        "end\n"
        "if #grown > 0 then redis.call('HSET', activity, unpack(grown)) end\n"
        "redis.call('HSET', topic, 'placing', table.concat(placing), 'leaving', leaving)\n"
        "return sizes\n";
}

const char *store_script_settle_followers(void) {
    return
        "local topic = KEYS[1]\n"
        "local entries_at = 1\n"
        "local count = 0\n"
        "for position = entries_at, #ARGV, 2 do\n"
        "    local user = ARGV[position]\n"
        "    if redis.call('ZSCORE', topic .. '/q', user) == ARGV[position + 1] then\n"
        "        count = count + redis.call('ZREM', topic .. '/q', user)\n"
        "    end\n"
        "end\n"
        "return count\n";
}
