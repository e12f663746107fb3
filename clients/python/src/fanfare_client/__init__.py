"""A client of Fanfare, the gateway that broadcasts Live Activities, for marketing systems.

`Fanfare` is for threads, and `AsyncFanfare` is for asyncio. Both have the same methods.
"""

from __future__ import annotations

from . import replies
from ._async.client import AsyncFanfare
from ._sync.client import Fanfare
from ._version import __version__
from .device_key import DeviceKey
from .errors import (
    ActivityTypeMismatch,
    AlreadyStarted,
    ApiError,
    BadRequest,
    Conflict,
    ConnectionFailed,
    DeviceNotSynced,
    FanfareError,
    Forbidden,
    IdempotencyKeyReused,
    LiveActivityDisabled,
    NoEligibleDevice,
    NotFound,
    NotStarted,
    QuotaExceeded,
    RateLimited,
    Refusal,
    ServerError,
    StaleSequence,
    TierRequired,
    TooLarge,
    Unauthorized,
    Unavailable,
    UnexpectedReply,
    Unprocessable,
    WaitTimeout,
)
from .json_text import RawJSON
from .retry import RetryPolicy
from .signatures import ForgedWebhook, identity_signature, verify_webhook

__all__ = [
    "ActivityTypeMismatch",
    "AlreadyStarted",
    "ApiError",
    "AsyncFanfare",
    "BadRequest",
    "Conflict",
    "ConnectionFailed",
    "DeviceKey",
    "DeviceNotSynced",
    "Fanfare",
    "FanfareError",
    "Forbidden",
    "ForgedWebhook",
    "IdempotencyKeyReused",
    "LiveActivityDisabled",
    "NoEligibleDevice",
    "NotFound",
    "NotStarted",
    "QuotaExceeded",
    "RateLimited",
    "RawJSON",
    "Refusal",
    "RetryPolicy",
    "ServerError",
    "StaleSequence",
    "TierRequired",
    "TooLarge",
    "Unauthorized",
    "Unavailable",
    "UnexpectedReply",
    "Unprocessable",
    "WaitTimeout",
    "__version__",
    "identity_signature",
    "replies",
    "verify_webhook",
]
