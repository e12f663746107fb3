"""What a call raises. Everything is a `FanfareError`; what the gateway refused is an `ApiError`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .device_key import DeviceKey


@dataclass(frozen=True)
class Refusal:
    """What the gateway said when it refused a request."""

    status: int
    """The HTTP status."""
    code: str
    """For programs, such as `ALREADY_STARTED`; `HTTP_502` and the like where a proxy answered in place of the gateway."""
    message: str
    """For people; its wording may change."""
    request_id: str
    """Names the request in the gateway's log."""
    retry_after: float | None = None
    """Seconds after which another try may fare better."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """How many devices or users were passed over, by reason."""
    gdpr_denied_details: Sequence[DeviceKey] = ()
    """With `NO_ELIGIBLE_DEVICE`: the devices without consent, at most 1,000."""
    quota: str | None = None
    """With `QUOTA_EXCEEDED`: which one."""
    required_tier: str | None = None
    """With `TIER_REQUIRED`: the lowest tier that is enough."""


class FanfareError(Exception):
    """Whatever a call of this package raises of its own accord."""


class ConnectionFailed(FanfareError):
    """No answer came, on any attempt. What the request asked for may have happened all the same.

    A call with an idempotency key can be repeated with that key: it is not carried out twice.
    """

    def __init__(self, message: str, *, request_id: str, attempts: int, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.request_id = request_id
        """Names the request in the gateway's log, if it came there."""
        self.attempts = attempts
        """How many times the request was sent."""
        self.idempotency_key = idempotency_key
        """The key that the request had; None for one without."""


class UnexpectedReply(FanfareError):
    """An answer that is none of the gateway's: a proxy's page, a redirect, JSON of another form.

    What the request asked for may have happened all the same, as with `ConnectionFailed`.
    """

    idempotency_key: str | None = None
    """The key that the request had; None for one without."""


class WaitTimeout(FanfareError):
    """A broadcast had not ended when the time to wait for it was over. It goes on by itself."""


class ApiError(FanfareError):
    """The gateway refused the request. The subclass says the family, `code` what exactly."""

    def __init__(self, refusal: Refusal, *, attempts: int = 1, idempotency_key: str | None = None) -> None:
        passed_over = f"; passed over: {dict(refusal.skipped)}" if refusal.skipped else ""
        super().__init__(f"{refusal.code}: {refusal.message}{passed_over} (request {refusal.request_id})")
        self.refusal = refusal
        """All that the gateway said."""
        self.attempts = attempts
        """How many times the request was sent."""
        self.idempotency_key = idempotency_key
        """The key that the request had. After a refusal that passes it may be repeated with it."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.refusal.status

    @property
    def code(self) -> str:
        """For programs; new ones may come with any version of the gateway."""
        return self.refusal.code

    @property
    def request_id(self) -> str:
        """Names the request in the gateway's log."""
        return self.refusal.request_id

    @property
    def retry_after(self) -> float | None:
        """Seconds after which another try may fare better."""
        return self.refusal.retry_after

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many were passed over, by reason; empty where the refusal does not count any."""
        return self.refusal.skipped


class BadRequest(ApiError):
    """400, 405, 408, 414, 415, 431: the request has a form that the gateway does not take."""


class Unauthorized(ApiError):
    """401: the key is missing, unknown or revoked."""


class Forbidden(ApiError):
    """402 and 403: the key is good, and this is not allowed with it."""


class TierRequired(Forbidden):
    """402 `TIER_REQUIRED`: the tenant's tier does not include live activities."""


class LiveActivityDisabled(Forbidden):
    """403 `LIVE_ACTIVITY_DISABLED`: live activities are switched off for the tenant."""


class QuotaExceeded(Forbidden):
    """403 `QUOTA_EXCEEDED`: `refusal.quota` names the one that is used up."""


class NotFound(ApiError):
    """404: never there, another tenant's, ended or expired."""


class Conflict(ApiError):
    """409: not in the state that things are in."""


class AlreadyStarted(Conflict):
    """409 `ALREADY_STARTED`: an activity starts once, and its segment is fixed from then on."""


class NotStarted(Conflict):
    """409 `NOT_STARTED`: the activity has not been started yet."""


class ActivityTypeMismatch(Conflict):
    """409 `ACTIVITY_TYPE_MISMATCH`: the activity was registered with another type."""


class DeviceNotSynced(Conflict):
    """409 `DEVICE_NOT_SYNCED`: none of the devices addressed has reported its update token yet."""


class StaleSequence(Conflict):
    """409 `STALE_SEQUENCE`: the topic has been told something newer."""


class TooLarge(ApiError):
    """413: the body, or the push that it would become."""


class Unprocessable(ApiError):
    """422: well-formed, and cannot be done."""


class NoEligibleDevice(Unprocessable):
    """422 `NO_ELIGIBLE_DEVICE`: no device is left; `skipped` says why."""


class IdempotencyKeyReused(Unprocessable):
    """422 `IDEMPOTENCY_KEY_REUSED`: the key was used with another body."""


class RateLimited(ApiError):
    """429: more requests than the key may send in a minute."""


class ServerError(ApiError):
    """5xx: the gateway, or a proxy before it, could not answer."""


class Unavailable(ServerError):
    """502, 503 and 504: it passes by itself. `code` says what: `STORE_UNAVAILABLE`, `OVERLOADED`, `SHUTTING_DOWN`."""


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
    """The class for a refusal: by its code, or else by its status, so that codes of later versions have a family."""
    fallback = ServerError if status >= 500 else BadRequest
    return _BY_CODE.get(code) or _BY_STATUS.get(status, fallback)
