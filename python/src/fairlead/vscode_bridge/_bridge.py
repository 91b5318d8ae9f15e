"""The requests as plain functions that wait for their reply."""

from __future__ import annotations

import contextlib
import threading
import uuid
from concurrent.futures import Future
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypeVar, Union, overload

from . import _requests as requests
from ._channel import Channel, Request
from ._requests import COMMAND_SECONDS, QUICK_SECONDS, Choice, Model, PathText
from ._wait import ChatStream, Waiting
from .errors import BridgeError
from .results import Chat, ChatMessage, Diagnostic, DiffText, OpenedFile
from .values import Position, Range

Result = TypeVar("Result")
_PROBE_SECONDS = 3.0


class Bridge:
    """A VS Code window. Every method may be called from any thread, and several at once."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def is_available(self) -> bool:
        """Whether there is a window, and it answers."""
        try:
            Waiting(self._channel.probe, _PROBE_SECONDS, "the greeting").result()
            return True
        except BridgeError:
            return False

    def chat(
        self,
        message: str,
        timeout: Optional[float] = 30,
        *,
        conversation_id: Optional[str] = None,
        model: Optional[Model] = None,
    ) -> Chat:
        """Asks a language model of the editor. The answer is a text that has the `conversation_id` with which the
        conversation can be gone on. `model` is a name, or vendor, family, version and id."""
        return self._do(requests.chat(message, timeout, conversation_id, model, stream=False))

    def chat_async(
        self,
        message: str,
        timeout: Optional[float] = 30,
        *,
        conversation_id: Optional[str] = None,
        model: Optional[Model] = None,
    ) -> "Future[Chat]":
        """`chat` in the background."""
        request = requests.chat(message, timeout, conversation_id, model, stream=False)
        future: "Future[Chat]" = Future()
        future.set_running_or_notify_cancel()

        def work() -> None:
            try:
                future.set_result(self._do(request))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=work, name="vscode-bridge-chat", daemon=True).start()
        return future

    def chat_stream(
        self,
        message: str,
        timeout: Optional[float] = 30,
        *,
        conversation_id: Optional[str] = None,
        model: Optional[Model] = None,
    ) -> ChatStream:
        """`chat` piece by piece, while the model speaks: `for piece in chat_stream(…)`; then `.answer` has all of it."""
        request = requests.chat(message, timeout, conversation_id, model, stream=True)
        return ChatStream(self._waiting(request), request.read)

    def get_chat_history(
        self, conversation_id: str, limit: int = 10, *, timeout: Optional[float] = QUICK_SECONDS
    ) -> List[ChatMessage]:
        """The last messages of a conversation, oldest first."""
        return self._do(requests.get_chat_history(conversation_id, limit, timeout))

    def execute_command(self, command: str, *args: Any, timeout: Optional[float] = COMMAND_SECONDS) -> Any:
        """Runs a command of VS Code and returns its result. Uri, Position, Range, Selection and Location may stand
        anywhere in both. The time-out includes the time that the user takes to allow it."""
        return self._do(requests.execute_command(command, args, timeout))

    def show_message(
        self,
        message: str,
        level: str = "info",
        *,
        buttons: Sequence[str] = (),
        modal: bool = False,
        detail: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Optional[str]:
        """Shows a notification (`info`, `warning` or `error`). With buttons it waits for the user and returns the
        label that was pressed, None when it was closed."""
        return self._do(requests.show_message(message, level, buttons, modal, detail, timeout))

    @overload
    def ask(
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
    def ask(
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

    def ask(
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
        """Asks the user for a text, or for one or several of the choices; None when the question was dismissed. After
        `timeout` seconds the default is the answer; without one that is an error."""
        return self._do(requests.question(message, choices, multi, default, placeholder, password, timeout))

    def confirm(
        self, message: str, *, default: Optional[bool] = None, timeout: Optional[float] = None
    ) -> bool:
        """Asks the user to say yes or no. A question that was dismissed is a no."""
        return bool(self._do(requests.ask(message, "confirm", (), default, None, False, timeout)))

    def open_file(
        self,
        path: PathText,
        *,
        selection: Union[Range, Position, None] = None,
        focus: bool = False,
        preview: bool = False,
        timeout: Optional[float] = QUICK_SECONDS,
    ) -> OpenedFile:
        """Shows a file in an editor tab. A relative path is looked for from the working directory first, then in the
        workspace."""
        return self._do(requests.open_file(path, selection, focus, preview, timeout))

    def show_diff(
        self,
        left: Union[PathText, DiffText],
        right: Union[PathText, DiffText],
        *,
        title: Optional[str] = None,
        focus: bool = False,
        timeout: Optional[float] = QUICK_SECONDS,
    ) -> str:
        """Shows two files, or texts (`DiffText`), side by side. Returns the title of the tab."""
        return self._do(requests.show_diff(left, right, title, focus, timeout))

    def diagnostics(
        self,
        path: Optional[PathText] = None,
        *,
        severity: str = "hint",
        settle: float = 1.0,
        limit: int = 1000,
        timeout: Optional[float] = QUICK_SECONDS,
    ) -> List[Diagnostic]:
        """The problems VS Code knows of, in one file or in all: of this severity and worse. `settle` is for how many
        seconds at most it waits for those that are still being looked for."""
        return self._do(requests.diagnostics(path, severity, settle, limit, timeout))

    def progress(self, title: str, *, cancellable: bool = False) -> "Progress":
        """`with progress("Copying") as shown: shown.report(percent=10)` shows how far the work is."""
        return Progress(self, title, cancellable)

    def request(
        self, type: str, params: Optional[Mapping[str, Any]] = None, timeout: Optional[float] = QUICK_SECONDS
    ) -> Dict[str, Any]:
        """Any other request that the window knows, such as `vscode/symbols`."""
        return self._do(requests.other(type, params, timeout))

    def _do(self, request: Request[Result]) -> Result:
        return request.read(self._waiting(request).result())

    def _waiting(self, request: Request[Any]) -> Waiting:
        return Waiting(lambda deliver: self._channel.start(request, deliver), request.timeout, request.type)


class Progress:
    """A notification that shows how far something is, until the `with` block ends."""

    def __init__(self, bridge: Bridge, title: str, cancellable: bool) -> None:
        self._bridge = bridge
        self._title = title
        self._cancellable = cancellable
        self._id = uuid.uuid4().hex
        #: Whether the user pressed "Cancel", as of the last report.
        self.is_cancelled = False

    def __enter__(self) -> "Progress":
        self._send(None, None, False)
        return self

    def __exit__(self, *_: object) -> None:
        # Nobody can do anything about a notification that stays, and the block's own outcome counts.
        with contextlib.suppress(Exception):
            self._send(None, None, True)

    def report(self, message: Optional[str] = None, percent: Optional[float] = None) -> bool:
        """`percent` is from 0 to 100. Returns `is_cancelled`."""
        self._send(message, percent, False)
        return self.is_cancelled

    def _send(self, message: Optional[str], percent: Optional[float], done: bool) -> None:
        request = requests.progress(self._id, self._title, message, percent, self._cancellable, done)
        self.is_cancelled = self._bridge._do(request) or self.is_cancelled
