"""Times as the caller gives them: in seconds."""

from __future__ import annotations

import math
from typing import Optional

from .errors import InvalidRequestError

#: What the wire allows: a day.
LONGEST_SECONDS = 86_400.0


def time_limit(timeout: Optional[float]) -> Optional[float]:
    """None is no limit, and so is infinity."""
    if timeout is None or timeout == math.inf:
        return None
    return min(seconds_of("timeout", timeout), LONGEST_SECONDS)


def seconds_of(name: str, value: float) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if math.isfinite(seconds) and seconds >= 0:
        return seconds
    raise InvalidRequestError(f"{name}={value!r} is not a time: give it in seconds, from 0 on.", "invalid_params")
