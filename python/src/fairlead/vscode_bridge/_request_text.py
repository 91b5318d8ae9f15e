"""What is sent to the window, as text."""

from __future__ import annotations

import json
from typing import Any

from ._channel import Request
from .errors import InvalidRequestError

#: The window reads no longer ones.
_REQUEST_LIMIT_BYTES = 8 << 20

_json = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def request_text(call_id: int, request: Request[Any]) -> str:
    frame = {"id": call_id, "type": request.type, "params": request.wire_params}
    try:
        text = _json.encode(frame)
    except (TypeError, ValueError, RecursionError) as error:
        reason = f"The parameters of {request.type} cannot be sent to VS Code: {error}."
        raise InvalidRequestError(reason, "invalid_params") from error
    if len(text) > _REQUEST_LIMIT_BYTES:
        reason = (
            f"The parameters of {request.type} are {len(text)} bytes long, and VS Code takes {_REQUEST_LIMIT_BYTES}. "
            "Put what is large in a file, and send its path."
        )
        raise InvalidRequestError(reason, "invalid_params")
    return text


def about_request(kind: str, call_id: int) -> str:
    return f'{{"id":{call_id},"type":"{kind}"}}'
