"""Reaches the VS Code window that a script was started from.

    import vscode_bridge

    vscode_bridge.show_message("Deploy finished")
    print(vscode_bridge.chat("Summarise this log: ..."))
    name = vscode_bridge.ask("Which environment?", choices=["staging", "production"])

All threads share one connection, which the first call opens. Every error is a RuntimeError that says what to do.
`fairlead.vscode_bridge.aio` has the same functions for asyncio.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from ._bridge import Bridge, Progress
from ._callback import CallbackChannel
from ._default import default_channel
from ._wait import ChatStream
from .errors import (
    BridgeClosedError,
    BridgeError,
    BridgeTimeoutError,
    ChatRefusedError,
    InvalidRequestError,
    NoModelError,
    NotAvailableError,
    NotFoundError,
    PermissionDeniedError,
    RequestCancelledError,
    RequestFailedError,
)
from .results import Chat, ChatMessage, Diagnostic, DiffText, OpenedFile
from .values import Location, Position, Range, Selection, Uri

__all__ = [
    "Bridge",
    "BridgeClosedError",
    "BridgeError",
    "BridgeTimeoutError",
    "Chat",
    "ChatMessage",
    "ChatRefusedError",
    "ChatStream",
    "Diagnostic",
    "DiffText",
    "InvalidRequestError",
    "Location",
    "NoModelError",
    "NotAvailableError",
    "NotFoundError",
    "OpenedFile",
    "PermissionDeniedError",
    "Position",
    "Progress",
    "Range",
    "RequestCancelledError",
    "RequestFailedError",
    "Selection",
    "Uri",
    "VSCodeBridge",
    "ask",
    "chat",
    "chat_async",
    "chat_stream",
    "close",
    "confirm",
    "diagnostics",
    "execute_command",
    "get_chat_history",
    "is_available",
    "open_file",
    "progress",
    "request",
    "show_diff",
    "show_message",
]


class VSCodeBridge(Bridge):
    """A bridge over a function of one's own: it gets `{id, type, params}`, waits, and returns
    `{success, result | error}`."""

    def __init__(self, send_request_callback: Callable[[Dict[str, Any]], Dict[str, Any]]) -> None:
        super().__init__(CallbackChannel(send_request_callback))


def _set_bridge(bridge: Optional[Bridge]) -> None:
    """For debug adapters: while a bridge is set, the functions of this module use it rather than the run's."""
    default_channel.set_debug(None if bridge is None else bridge._channel)


class _ModuleBridge(Bridge):
    def __reduce__(self) -> Any:
        # So that the functions of this module can be handed to another process, which has a connection of its own.
        return _module_bridge, ()


def _module_bridge() -> Bridge:
    return _bridge


_bridge = _ModuleBridge(default_channel)
ask = _bridge.ask
chat = _bridge.chat
chat_async = _bridge.chat_async
chat_stream = _bridge.chat_stream
confirm = _bridge.confirm
diagnostics = _bridge.diagnostics
execute_command = _bridge.execute_command
get_chat_history = _bridge.get_chat_history
is_available = _bridge.is_available
open_file = _bridge.open_file
progress = _bridge.progress
request = _bridge.request
show_diff = _bridge.show_diff
show_message = _bridge.show_message


def close() -> None:
    """Closes the connection to the window. It closes by itself when Python ends; a later call opens a new one."""
    default_channel.close()
