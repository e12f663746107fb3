"""The errors of calls. All are a `FanfareError`; refusals of the gateway are an `ApiError`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .device_key import DeviceKey


@dataclass(frozen=True)
class Refusal:
    """The gateway's reply to a refused request."""

    status: int
    """The HTTP status."""
    code: str
    """The error code, for example `ALREADY_STARTED`. If a proxy answered, it is `HTTP_` and the status."""
    message: str
    """A text for people; its wording may change."""
    request_id: str
    """The request's id in the gateway's log."""
    retry_after: float | None = None
    """The seconds to wait before a retry."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """The number of skipped devices or users by reason."""
    gdpr_denied_details: Sequence[DeviceKey] = ()
    """With `NO_ELIGIBLE_DEVICE`: the devices without consent, at most 1,000."""
    quota: str | None = None
    """With `QUOTA_EXCEEDED`: the name of the quota."""
    required_tier: str | None = None
    """With `TIER_REQUIRED`: the lowest tier that has Live Activities."""


class FanfareError(Exception):
    """The base class of all errors that this package defines."""


class ConnectionFailed(FanfareError):
    """No attempt received an answer. The gateway may have handled the request anyway.

    Repeat a call with its idempotency key: the gateway handles it only once.
    """

    def __init__(self, message: str, *, request_id: str, attempts: int, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.request_id = request_id
        """The request's id in the gateway's log, if the request arrived."""
        self.attempts = attempts
        """The number of attempts."""
        self.idempotency_key = idempotency_key
        """The request's idempotency key, or None."""


class UnexpectedReply(FanfareError):
    """An answer that does not come from the gateway: a proxy's page, a redirect, or other JSON.

    The gateway may have handled the request anyway, as with `ConnectionFailed`.
    """

    idempotency_key: str | None = None
    """The request's idempotency key, or None."""


class WaitTimeout(FanfareError):
    """The broadcast did not end within the timeout. It continues in the gateway."""


class ApiError(FanfareError):
    """The gateway refused the request. The subclass groups refusals; `code` is the exact cause."""

    def __init__(self, refusal: Refusal, *, attempts: int = 1, idempotency_key: str | None = None) -> None:
        passed_over = f"; passed over: {dict(refusal.skipped)}" if refusal.skipped else ""
        super().__init__(f"{refusal.code}: {refusal.message}{passed_over} (request {refusal.request_id})")
        self.refusal = refusal
        """The gateway's whole reply."""
        self.attempts = attempts
        """The number of attempts."""
        self.idempotency_key = idempotency_key
        """The request's idempotency key. Repeat the request with it after a temporary refusal."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.refusal.status

    @property
    def code(self) -> str:
        """The error code. Any version of the gateway may add codes."""
        return self.refusal.code

    @property
    def request_id(self) -> str:
        """The request's id in the gateway's log."""
        return self.refusal.request_id

    @property
    def retry_after(self) -> float | None:
        """The seconds to wait before a retry."""
        return self.refusal.retry_after

    @property
    def skipped(self) -> Mapping[str, int]:
        """The number of skipped devices or users by reason. Empty if the refusal has none."""
        return self.refusal.skipped


class BadRequest(ApiError):
    """400, 405, 408, 414, 415, 431: the gateway does not accept the request's form."""


class Unauthorized(ApiError):
    """401: the key is missing, unknown or revoked."""


class Forbidden(ApiError):
    """402 and 403: the key is valid but does not allow the request."""


class TierRequired(Forbidden):
    """402 `TIER_REQUIRED`: the tenant's tier lacks Live Activities."""


class LiveActivityDisabled(Forbidden):
    """403 `LIVE_ACTIVITY_DISABLED`: Live Activities are disabled for the tenant."""


class QuotaExceeded(Forbidden):
    """403 `QUOTA_EXCEEDED`: a quota is used up. `refusal.quota` names it."""


class NotFound(ApiError):
    """404: the resource was never created, belongs to another tenant, or has ended or expired."""


class Conflict(ApiError):
    """409: the resource's state does not allow the request."""


class AlreadyStarted(Conflict):
    """409 `ALREADY_STARTED`: an activity starts only once, and its segment is then fixed."""


class NotStarted(Conflict):
    """409 `NOT_STARTED`: the activity has not been started."""


class ActivityTypeMismatch(Conflict):
    """409 `ACTIVITY_TYPE_MISMATCH`: the activity was registered with another type."""


class DeviceNotSynced(Conflict):
    """409 `DEVICE_NOT_SYNCED`: no addressed device has reported its update token."""


class StaleSequence(Conflict):
    """409 `STALE_SEQUENCE`: the topic already has content with a higher `sequence`."""


class TooLarge(ApiError):
    """413: the body or its push is too large."""


class Unprocessable(ApiError):
    """422: the request is well-formed but impossible."""


class NoEligibleDevice(Unprocessable):
    """422 `NO_ELIGIBLE_DEVICE`: no device is left after the filters. `skipped` has the reasons."""


class IdempotencyKeyReused(Unprocessable):
    """422 `IDEMPOTENCY_KEY_REUSED`: the key was used with another body."""


class RateLimited(ApiError):
    """429: the key has exceeded its rate limit."""


class ServerError(ApiError):
    """5xx: the gateway, or a proxy before it, failed."""


class Unavailable(ServerError):
    """502, 503 and 504: a temporary failure, for example `STORE_UNAVAILABLE` or `OVERLOADED`."""


_BY_CODE: Mapping[str, type[ApiError]] = {
    "TIER_REQUIRED": TierRequired,
    "LIVE_ACTIVITY_DISABLED": LiveActivityDisabled,
    "QUOTA_EXCEEDED": QuotaExceeded,
    "ALREADY_STARTED": AlreadyStarted,
    "NOT_STARTED": NotStarted,
    "ACTIVITY_TYPE_MISMATCH": ActivityTypeMismatch,
    "DEVICE_NOT_SYNCED": DeviceNotSynced,
    "STALE_SEQUENCE": StaleSequence,
    "NO_ELIGIBLE_DEVICE": NoEligibleDevice,
    "IDEMPOTENCY_KEY_REUSED": IdempotencyKeyReused,
}

_BY_STATUS: Mapping[int, type[ApiError]] = {
    401: Unauthorized,
    402: Forbidden,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
    422: Unprocessable,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def error_class(status: int, code: str) -> type[ApiError]:
    """Returns the class for a refusal: by its code, or by its status for codes of later versions."""
    fallback = ServerError if status >= 500 else BadRequest
    return _BY_CODE.get(code) or _BY_STATUS.get(status, fallback)
