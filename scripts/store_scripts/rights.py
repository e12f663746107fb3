"""The rights of Redis that scripts need: a sample call of each command, by which a gateway asks for the right."""
from .malformed import Malformed

#: A call of each command that leaves nothing but, at most, its key.
_CALLS = {call.split()[0]: call.split() for call in """
    DEL KEY
    EXISTS KEY
    GET KEY
    GETBIT KEY 0
    GETRANGE KEY 0 0
    HDEL KEY f
    HEXISTS KEY f
    HGET KEY f
    HGETALL KEY
    HINCRBY KEY f 0
    HKEYS KEY
    HLEN KEY
    HMGET KEY f
    HSET KEY f 0
    HSETNX KEY f 0
    LPUSH KEY 0
    LRANGE KEY 0 0
    LTRIM KEY 0 0
    PERSIST KEY
    PEXPIRE KEY 1000
    PEXPIREAT KEY 9999999999999
    PTTL KEY
    RPUSH KEY 0
    SET KEY 0 PX 1000
    SETBIT KEY 0 0
    SETRANGE KEY 0 0
    STRLEN KEY
    TIME
    UNLINK KEY
    XACK KEY g 0-1
    XADD KEY * f 0
    XAUTOCLAIM KEY g c 1000 0-0
    XCLAIM KEY g c 1000 0-1
    XDEL KEY 0-1
    XGROUP CREATE KEY g 0 MKSTREAM
    XLEN KEY
    XPENDING KEY g
    XRANGE KEY - + COUNT 1
    XREADGROUP GROUP g c COUNT 1 STREAMS KEY >
    ZADD KEY 0 0
    ZCARD KEY
    ZCOUNT KEY 0 0
    ZPOPMIN KEY
    ZRANGE KEY 0 0
    ZRANGEBYSCORE KEY 0 0
    ZREM KEY 0
    ZREMRANGEBYSCORE KEY 0 0
    ZREVRANGE KEY 0 0
    ZREVRANGEBYLEX KEY + -
    ZSCORE KEY 0
""".strip().splitlines()}


def calls(commands):
    """The sample calls of these commands, in alphabetical order."""
    for command in sorted(commands):
        if command not in _CALLS:
            raise Malformed(f"scripts call {command}, which has no sample call in scripts/store_scripts/rights.py")
    return [_CALLS[command] for command in sorted(commands)]
