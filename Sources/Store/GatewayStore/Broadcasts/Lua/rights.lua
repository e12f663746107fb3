-- rights (part)
--
-- If Redis refuses a command, the writes of the script before it remain. So a script that begins a broadcast asks for
-- each command that it may use before its first write. Redis 6.2 cannot be asked, so each command is called.
-- Includes: write-rights

-- Raises an error if Redis refuses a command that a begin of a broadcast uses. `key` must be absent, and is absent
-- again afterwards.
local function require_rights(key, expiry)
    if redis.acl_check_cmd then
        require_writes(key, 'DEL', 'EXISTS', 'GET', 'HDEL', 'HEXISTS', 'HGET', 'HGETALL', 'HINCRBY', 'HLEN', 'HMGET',
            'HSET', 'HSETNX', 'LPUSH', 'LTRIM', 'PEXPIRE', 'PEXPIREAT', 'PTTL', 'SET', 'UNLINK', 'XADD', 'ZADD',
            'ZCOUNT', 'ZRANGE', 'ZRANGEBYSCORE', 'ZREM', 'ZSCORE')
        if not redis.acl_check_cmd('XGROUP', 'CREATE', key, JOB.group, '0') then
            error({ err = 'NOPERM the script needs XGROUP' })
        end
        return
    end
    redis.call('EXISTS', key)
    redis.call('PTTL', key)
    redis.call('HEXISTS', key, 'f')
    redis.call('HGET', key, 'f')
    redis.call('HLEN', key)
    redis.call('ZCOUNT', key, 0, 0)
    redis.call('GET', key)
    redis.call('SET', key, '', 'XX')
    redis.call('HGETALL', key)
    redis.call('HMGET', key, 'f')
    redis.call('ZRANGE', key, 0, 0)
    redis.call('ZRANGEBYSCORE', key, 0, 0)
    redis.call('ZSCORE', key, 'f')
    -- These change nothing while the key is absent.
    redis.call('DEL', key)
    redis.call('UNLINK', key)
    redis.call('PEXPIRE', key, 1000)
    redis.call('PEXPIREAT', key, expiry)
    redis.call('HDEL', key, 'f')
    redis.call('LTRIM', key, 0, 0)
    redis.call('ZREM', key, 'f')
    redis.call('ZADD', key, 'XX', 0, 'f')
    redis.call('XADD', key, 'NOMKSTREAM', '*', 'f', '')
    -- Each of the others creates the key. It is deleted before the next command, which may be refused.
    redis.call('HINCRBY', key, 'f', 1)
    redis.call('DEL', key)
    redis.call('HSET', key, 'f', 1)
    redis.call('DEL', key)
    redis.call('HSETNX', key, 'f', 1)
    redis.call('DEL', key)
    redis.call('LPUSH', key, '')
    redis.call('DEL', key)
    redis.call('XGROUP', 'CREATE', key, JOB.group, '0', 'MKSTREAM')
    redis.call('DEL', key)
end
