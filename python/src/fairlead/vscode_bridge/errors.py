"""What can go wrong. Every error is a RuntimeError and says what to do."""

from __future__ import annotations

from typing import Dict, Type


class BridgeError(RuntimeError):
    """Any failure of the bridge."""


class NotAvailableError(BridgeError):
    """There is no window to send a request to: the script was not started from VS Code, the window was closed, or the
    bridge is not allowed."""


class BridgeClosedError(BridgeError):
    """The connection to the window was lost, or closed, after a request was sent and before its reply came."""


class BridgeTimeoutError(BridgeError):
    """There was no reply in time. The request was cancelled in the window."""


class RequestFailedError(BridgeError):
    """The window answered with an error; `code` tells which, for a program."""

    def __init__(self, message: str, code: str = "failed") -> None:
        super().__init__(message)
        self.code = code


class InvalidRequestError(RequestFailedError):
    """The window does not know such a request, or a parameter is wrong, which may be told before it is sent."""


class PermissionDeniedError(RequestFailedError):
    """`denied` by a setting, `rejected` by the user, or the model may not be used yet (`no_permission`)."""


class NotFoundError(RequestFailedError):
    """The file, or what was looked for, is not there."""


class NoModelError(RequestFailedError):
    """No language model is installed in the editor, or none that fits."""


class ChatRefusedError(RequestFailedError):
    """The language model would not answer (`refused`, `off_topic`)."""


class RequestCancelledError(RequestFailedError):
    """The user cancelled it in the window."""


_BY_CODE: Dict[str, Type[RequestFailedError]] = {
    "invalid_json": InvalidRequestError,
    "invalid_frame": InvalidRequestError,
    "unknown_type": InvalidRequestError,
    "invalid_params": InvalidRequestError,
    "duplicate_id": InvalidRequestError,
    "denied": PermissionDeniedError,
    "rejected": PermissionDeniedError,
    "no_permission": PermissionDeniedError,
    "not_found": NotFoundError,
    "no_model": NoModelError,
    "refused": ChatRefusedError,
    "off_topic": ChatRefusedError,
    "cancelled": RequestCancelledError,
}


def error_of_reply(request_type: str, code: str, message: str) -> BridgeError:
    text = f"VS Code could not do {request_type}: {message}"
    if code == "timeout":
        return BridgeTimeoutError(f"{text} {MORE_TIME}")
    return _BY_CODE.get(code, RequestFailedError)(text, code)


MORE_TIME = "Give it more time with timeout=, in seconds."
