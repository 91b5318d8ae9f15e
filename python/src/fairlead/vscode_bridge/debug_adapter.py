"""The bridge for authors of debug adapters: programs that run under the adapter reach VS Code through its session.

    bridge = DebugAdapterBridge(send_event=self.send_event, send_response=self.send_response)
    bridge.install()                    # `vscode_bridge` in this process now goes through the debug session
    for message in bridge.messages(sys.stdin.buffer):
        self.handle(message)            # everything but the answers to the bridge
    bridge.close()

A program asks with the event `customRequest`; VS Code answers with the request `customRequestResponse`. An adapter that
reads its messages in a thread of its own already calls `bridge.take(message)` there instead of `messages`.
"""

from __future__ import annotations

import itertools
import json
import queue
import threading
from typing import Any, BinaryIO, Callable, Dict, Iterator, Optional

from ._bridge import Bridge
from ._channel import Deliver, Done, Failed, Part, PassiveCall, Request, delivery_of
from ._default import default_channel
from ._endpoint import closed

__all__ = ["DebugAdapterBridge"]

Message = Dict[str, Any]
_PROTOCOL_VERSION = 1
_ANSWER, _PART = "customRequestResponse", "customRequestPart"


class DebugAdapterBridge(Bridge):
    """`send_event(event, body)` and `send_response(request, body)` are the adapter's own, and are called from the
    thread of whoever asks: they must not mix up two messages that are sent at once."""

    def __init__(
        self,
        send_event: Callable[[str, Dict[str, Any]], object],
        send_response: Callable[[Message, Dict[str, Any]], object],
    ) -> None:
        self._session = _DebugChannel(send_event, send_response)
        super().__init__(self._session)

    def install(self) -> None:
        """From now on the functions of `vscode_bridge` in this process use the debug session."""
        default_channel.set_debug(self._session)

    def take(self, message: Message) -> bool:
        """Whether the message was for the bridge: then it is answered, and the adapter has nothing to do with it."""
        return self._session.take(message)

    def messages(self, stream: BinaryIO) -> Iterator[Message]:
        """The messages of a DAP client, without those for the bridge. They are read in the background, so a program
        that asks VS Code in the middle of handling one gets its answer, and the others wait their turn."""
        inbox: "queue.SimpleQueue[Optional[Message]]" = queue.SimpleQueue()

        def read() -> None:
            try:
                for message in read_messages(stream):
                    if not self.take(message):
                        inbox.put(message)
            finally:
                inbox.put(None)

        threading.Thread(target=read, name="vscode-bridge-dap", daemon=True).start()
        return iter(inbox.get, None)

    def close(self) -> None:
        """The debug session is over: who still waits gets an error."""
        default_channel.unset_debug(self._session)
        self._session.close()


class _DebugChannel:
    def __init__(
        self,
        send_event: Callable[[str, Dict[str, Any]], object],
        send_response: Callable[[Message, Dict[str, Any]], object],
    ) -> None:
        self._send_event = send_event
        self._send_response = send_response
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._pending: Dict[object, _DebugCall] = {}
        #: Streams that nobody reads any more; None is the end. It may be put to in the middle of anything.
        self._discarded: "queue.SimpleQueue[Optional[_DebugCall]]" = queue.SimpleQueue()
        self._canceller: Optional[threading.Thread] = None
        self._is_closed = False

    def start(self, request: Request[Any], deliver: Deliver) -> "_DebugCall":
        call = _DebugCall(self, next(self._ids), request.type, deliver)
        with self._lock:
            if self._is_closed:
                raise closed()
            self._pending[call.id] = call
            if request.params.get("stream"):
                self._ensure_canceller()
        self._send(call.id, request.type, request.wire_params)
        return call

    def probe(self, deliver: Deliver) -> "_DebugCall":
        deliver(Failed(closed()) if self._is_closed else Done({}))
        return _DebugCall(self, 0, "", deliver)

    def cancel(self, call: "_DebugCall") -> None:
        with self._lock:
            is_waiting = self._pending.pop(call.id, None) is not None
        if is_waiting:
            self._send(call.id, "$/cancel", {})

    def discard(self, call: "_DebugCall") -> None:
        if call.id in self._pending:
            self._discarded.put(call)

    def take(self, message: Message) -> bool:
        command = message.get("command")
        if message.get("type") != "request" or command not in (_ANSWER, _PART):
            return False
        arguments = message.get("arguments") or {}
        request_id = arguments.get("requestId")
        if command == _PART:
            call = self._pending.get(request_id)
            if call is not None:
                call.deliver(Part(str(arguments.get("text", ""))))
        else:
            with self._lock:
                call = self._pending.pop(request_id, None)
            if call is not None:
                call.deliver(delivery_of(call.type, arguments))
        self._send_response(message, {})
        return True

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            calls = list(self._pending.values())
            self._pending.clear()
        self._discarded.put(None)
        for call in calls:
            call.deliver(Failed(closed()))

    def _ensure_canceller(self) -> None:
        """Streams alone are left to the garbage collector, which cannot send anything itself."""
        if self._canceller is None:
            self._canceller = threading.Thread(target=self._cancel_discarded, name="vscode-bridge-cancel", daemon=True)
            self._canceller.start()

    def _cancel_discarded(self) -> None:
        for call in iter(self._discarded.get, None):
            self.cancel(call)

    def _send(self, request_id: int, type: str, params: Dict[str, Any]) -> None:
        body = {"requestId": request_id, "type": type, "params": params, "protocolVersion": _PROTOCOL_VERSION}
        self._send_event("customRequest", body)


class _DebugCall(PassiveCall):
    __slots__ = ("_channel", "id", "type", "deliver")

    def __init__(self, channel: _DebugChannel, request_id: int, type: str, deliver: Deliver) -> None:
        self._channel = channel
        self.id = request_id
        self.type = type
        self.deliver = deliver

    def cancel(self) -> None:
        self._channel.cancel(self)

    def discard(self) -> None:
        self._channel.discard(self)


def read_messages(stream: BinaryIO) -> Iterator[Message]:
    """DAP messages until the stream ends: headers with a `Content-Length`, an empty line, JSON."""
    # Not through the buffer: a thread that waits in it when Python ends stops Python with a fatal error.
    source = getattr(stream, "raw", stream)
    buffer = b""
    while True:
        head, separator, rest = buffer.partition(b"\r\n\r\n")
        length = _content_length(head) if separator else None
        if length is not None and len(rest) >= length:
            yield json.loads(rest[:length])
            buffer = rest[length:]
            continue
        data = source.read(1 << 16)
        if not data:
            return
        buffer += data


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    raise ValueError("A message of the debug client has no Content-Length. Read another stream.")
