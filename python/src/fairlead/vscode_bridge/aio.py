"""The functions of `fairlead.vscode_bridge` for asyncio.

    from fairlead.vscode_bridge import aio

    print(await aio.chat("What is a fairlead?"))

They share the connection of the synchronous ones. Cancelling the awaiting task cancels the request in the window.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from typing import (
    Any,
    AsyncIterator,
    Callable,
    Dict,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    TypeVar,
    Union,
    overload,
)

from . import _requests as requests
from ._channel import Call, Channel, Deliver, Delivery, Done, Failed, Part, Request, overdue
from ._default import default_channel
from ._requests import COMMAND_SECONDS, QUICK_SECONDS, Choice, Model, PathText
from .errors import BridgeError
from .results import Chat, ChatMessage, Diagnostic, DiffText, OpenedFile
from .values import Position, Range

__all__ = [
    "AsyncBridge",
    "AsyncChatStream",
    "AsyncProgress",
    "ask",
    "chat",
    "chat_stream",
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

Result = TypeVar("Result")
_PROBE_SECONDS = 3.0


class AsyncBridge:
    """A VS Code window. The methods are those of `Bridge`."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def is_available(self) -> bool:
        try:
            await _Waiting(self._channel.probe, _PROBE_SECONDS, "the greeting").result()
            return True
        except BridgeError:
            return False

    async def chat(
        self,
        message: str,
        timeout: Optional[float] = 30,
        *,
        conversation_id: Optional[str] = None,
        model: Optional[Model] = None,
    ) -> Chat:
        return await self._do(requests.chat(message, timeout, conversation_id, model, stream=False))

    def chat_stream(
        self,
        message: str,
        timeout: Optional[float] = 30,
        *,
        conversation_id: Optional[str] = None,
        model: Optional[Model] = None,
    ) -> "AsyncChatStream":
        """`async for piece in chat_stream(…)`."""
        request = requests.chat(message, timeout, conversation_id, model, stream=True)
        return AsyncChatStream(self._waiting(request), request.read)

    async def get_chat_history(
        self, conversation_id: str, limit: int = 10, *, timeout: Optional[float] = QUICK_SECONDS
    ) -> List[ChatMessage]:
        return await self._do(requests.get_chat_history(conversation_id, limit, timeout))

    async def execute_command(self, command: str, *args: Any, timeout: Optional[float] = COMMAND_SECONDS) -> Any:
        """The time-out includes the time that the user takes to allow it."""
        return await self._do(requests.execute_command(command, args, timeout))

    async def show_message(
        self,
        message: str,
        level: str = "info",
        *,
        buttons: Sequence[str] = (),
        modal: bool = False,
        detail: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Optional[str]:
        return await self._do(requests.show_message(message, level, buttons, modal, detail, timeout))

    @overload
    async def ask(
        self,
        message: str,
        choices: Sequence[Choice] = ...,
        *,
        multi: Literal[True],
        default: Optional[Sequence[str]] = ...,
        placeholder: Optional[str] = ...,
        timeout: Optional[float] = ...,
    ) -> Optional[List[str]]: ...

    @overload
    async def ask(
        self,
        message: str,
        choices: Sequence[Choice] = ...,
        *,
        multi: Literal[False] = ...,
        default: Optional[str] = ...,
        placeholder: Optional[str] = ...,
        password: bool = ...,
        timeout: Optional[float] = ...,
    ) -> Optional[str]: ...

    async def ask(
        self,
        message: str,
        choices: Sequence[Choice] = (),
        *,
        multi: bool = False,
        default: Union[str, Sequence[str], None] = None,
        placeholder: Optional[str] = None,
        password: bool = False,
        timeout: Optional[float] = None,
    ) -> Union[str, List[str], None]:
        return await self._do(
            requests.question(message, choices, multi, default, placeholder, password, timeout)
        )

    async def confirm(
        self, message: str, *, default: Optional[bool] = None, timeout: Optional[float] = None
    ) -> bool:
        return bool(await self._do(requests.ask(message, "confirm", (), default, None, False, timeout)))

    async def open_file(
        self,
        path: PathText,
        *,
        selection: Union[Range, Position, None] = None,
        focus: bool = False,
        preview: bool = False,
        timeout: Optional[float] = QUICK_SECONDS,
    ) -> OpenedFile:
        return await self._do(requests.open_file(path, selection, focus, preview, timeout))

    async def show_diff(
        self,
        left: Union[PathText, DiffText],
        right: Union[PathText, DiffText],
        *,
        title: Optional[str] = None,
        focus: bool = False,
        timeout: Optional[float] = QUICK_SECONDS,
    ) -> str:
        return await self._do(requests.show_diff(left, right, title, focus, timeout))

    async def diagnostics(
        self,
        path: Optional[PathText] = None,
        *,
        severity: str = "hint",
        settle: float = 1.0,
        limit: int = 1000,
        timeout: Optional[float] = QUICK_SECONDS,
    ) -> List[Diagnostic]:
        return await self._do(requests.diagnostics(path, severity, settle, limit, timeout))

    def progress(self, title: str, *, cancellable: bool = False) -> "AsyncProgress":
        """`async with progress("Copying") as shown: await shown.report(percent=10)`."""
        return AsyncProgress(self, title, cancellable)

    async def request(
        self, type: str, params: Optional[Mapping[str, Any]] = None, timeout: Optional[float] = QUICK_SECONDS
    ) -> Dict[str, Any]:
        return await self._do(requests.other(type, params, timeout))

    async def _do(self, request: Request[Result]) -> Result:
        return request.read(await self._waiting(request).result())

    def _waiting(self, request: Request[Any]) -> "_Waiting":
        return _Waiting(lambda deliver: self._channel.start(request, deliver), request.timeout, request.type)


class AsyncChatStream(AsyncIterator[str]):
    """The pieces of an answer as they come; `aclose` cancels the request."""

    def __init__(self, waiting: "_Waiting", read: Callable[[Dict[str, Any]], Chat]) -> None:
        self._waiting = waiting
        self._read = read
        #: The whole answer, once there is no further piece.
        self.answer: Optional[Chat] = None

    async def __anext__(self) -> str:
        if self.answer is not None:
            raise StopAsyncIteration
        delivery = await self._waiting.next()
        if isinstance(delivery, Part):
            return delivery.text
        assert isinstance(delivery, Done)
        self.answer = self._read(delivery.result)
        raise StopAsyncIteration

    async def aclose(self) -> None:
        self._waiting.cancel()

    async def __aenter__(self) -> "AsyncChatStream":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class AsyncProgress:
    """A notification that shows how far something is, until the `async with` block ends."""

    def __init__(self, bridge: AsyncBridge, title: str, cancellable: bool) -> None:
        self._bridge = bridge
        self._title = title
        self._cancellable = cancellable
        self._id = uuid.uuid4().hex
        #: Whether the user pressed "Cancel", as of the last report.
        self.is_cancelled = False

    async def __aenter__(self) -> "AsyncProgress":
        await self._send(None, None, False)
        return self

    async def __aexit__(self, *_: object) -> None:
        # Nobody can do anything about a notification that stays, and the block's own outcome counts.
        with contextlib.suppress(Exception):
            await self._send(None, None, True)

    async def report(self, message: Optional[str] = None, percent: Optional[float] = None) -> bool:
        """`percent` is from 0 to 100. Returns `is_cancelled`."""
        await self._send(message, percent, False)
        return self.is_cancelled

    async def _send(self, message: Optional[str], percent: Optional[float], done: bool) -> None:
        request = requests.progress(self._id, self._title, message, percent, self._cancellable, done)
        self.is_cancelled = await self._bridge._do(request) or self.is_cancelled


class _Waiting:
    """Waits in the event loop for what a thread of the channel delivers."""

    def __init__(self, start: Callable[[Deliver], Call], timeout: Optional[float], what: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._inbox: "asyncio.Queue[Delivery]" = asyncio.Queue()
        self._timeout = timeout
        self._deadline = None if timeout is None else self._loop.time() + timeout
        self._what = what
        self._call = start(self._deliver)
        self._call.leave()

    async def result(self) -> Dict[str, Any]:
        while True:
            delivery = await self.next()
            if isinstance(delivery, Done):
                return delivery.result

    async def next(self) -> Delivery:
        """A part, or the end; an error is raised."""
        remaining = None if self._deadline is None else max(self._deadline - self._loop.time(), 0)
        try:
            delivery = await asyncio.wait_for(self._inbox.get(), remaining)
        except asyncio.TimeoutError:
            error = overdue(self._call, self._what, self._timeout)
            self.cancel()
            raise error from None
        except BaseException:
            self.cancel()
            raise
        if isinstance(delivery, Failed):
            raise delivery.error
        return delivery

    def cancel(self) -> None:
        self._call.cancel()

    def _deliver(self, delivery: Delivery) -> None:
        try:
            self._loop.call_soon_threadsafe(self._inbox.put_nowait, delivery)
        except RuntimeError:
            pass  # the loop has ended, and with it who waited


_bridge = AsyncBridge(default_channel)
ask = _bridge.ask
chat = _bridge.chat
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
