"""One WebSocket that is open: whole frames out, whole messages in, both without waiting."""

from __future__ import annotations

import math
import select
import socket
import threading
from typing import List, Optional, Protocol

from ._frames import FrameDecoder, Ping, Text, close_frame, pong_frame, text_frame

_READ_BYTES = 1 << 16


class LinkLost(Exception):
    """The connection is over. The code is the one of the peer's close frame, 1006 when there was none."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Link:
    """`send` is for any thread, `receive` for one at a time. A frame that the socket does not take at once is kept and
    goes out from `receive`: so no thread waits for a slow peer, and no frame is ever sent in part and then given up."""

    def __init__(self, connection: socket.socket, rest: bytes, limit_bytes: int) -> None:
        self._socket = connection
        self._decoder = FrameDecoder(limit_bytes)
        self._early = rest
        self._outbox = bytearray()
        self._lock = threading.Lock()
        self._is_over = False
        self._loss: Optional[LinkLost] = None
        self._wake_out, self._wake_in = socket.socketpair()
        for end in (self._wake_out, self._wake_in):
            end.setblocking(False)
        self._readiness = _readiness(connection, self._wake_in)

    def send(self, *texts: str) -> None:
        """Does nothing when the connection is lost: `receive` says so."""
        self._put(text_frame(texts[0]) if len(texts) == 1 else b"".join(map(text_frame, texts)))

    def receive(self, timeout: Optional[float] = None) -> List[str]:
        """The messages that have come; none when it was woken, or the time is up."""
        if self._loss is not None:
            raise self._loss
        if self._early:
            early, self._early = self._early, b""
            return self._decode(early)
        if self._readiness.wait(self._flush(), timeout):
            self._drain_wake()
        return self._decode(self._read())

    def wake(self) -> None:
        """Makes `receive` return."""
        try:
            self._wake_out.send(b"x")
        except OSError:
            pass  # full, which wakes as well, or closed

    def close(self, code: int = 1000, reason: str = "") -> None:
        with self._lock:
            if self._is_over:
                return
            self._is_over = True
            if not self._outbox:
                _send_once(self._socket, close_frame(code, reason))
        self.abandon()

    def abandon(self) -> None:
        """Closes the file descriptors and says nothing to the peer: they may belong to another process as well."""
        self._is_over = True
        self._loss = self._loss or LinkLost(1006, "the connection was given up")
        for each in (self._socket, self._wake_out, self._wake_in):
            each.close()

    def _put(self, frame: bytes) -> None:
        with self._lock:
            if self._is_over:
                return
            sent = 0 if self._outbox else _send_once(self._socket, frame)
            if sent == len(frame):
                return
            self._outbox += frame[sent:]
        self.wake()

    def _flush(self) -> bool:
        """Whether something is left that the socket has not taken."""
        if not self._outbox:
            return False
        with self._lock:
            del self._outbox[: _send_once(self._socket, self._outbox)]
            return bool(self._outbox)

    def _read(self) -> bytes:
        try:
            data = self._socket.recv(_READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return b""
        except OSError as error:
            raise LinkLost(1006, error.strerror or str(error)) from error
        if not data:
            raise LinkLost(1006, "the connection was closed")
        return data

    def _decode(self, data: bytes) -> List[str]:
        messages: List[str] = []
        for event in self._decoder.feed(data):
            if isinstance(event, Text):
                messages.append(event.text)
            elif isinstance(event, Ping):
                self._put(pong_frame(event.payload))
            else:
                self._lose(event.code, event.reason)
                break
        # What came before the end counts; the end is told with the next call.
        if self._loss is not None and not messages:
            raise self._loss
        return messages

    def _lose(self, code: int, reason: str) -> None:
        self._loss = LinkLost(code, reason)
        self.close(1000 if code == 1005 else code)

    def _drain_wake(self) -> None:
        try:
            while self._wake_in.recv(4096):
                pass
        except OSError:
            pass


def _send_once(connection: socket.socket, data: "bytes | bytearray") -> int:
    """What the socket takes now. A broken connection takes nothing: reading tells it."""
    try:
        return connection.send(data)
    except OSError:
        return 0


class _Readiness(Protocol):
    def wait(self, is_writing: bool, timeout: Optional[float]) -> bool:
        """Until the socket can be read (or written, if wanted), or somebody woke it. Whether somebody did."""


def _readiness(connection: socket.socket, wake: socket.socket) -> _Readiness:
    return _Poll(connection, wake) if hasattr(select, "poll") else _Select(connection, wake)


class _Poll:
    """What `selectors` does as well, and takes longer for."""

    def __init__(self, connection: socket.socket, wake: socket.socket) -> None:
        self._connection, self._wake = connection.fileno(), wake.fileno()
        self._is_writing = False
        self._poll = select.poll()
        self._poll.register(self._connection, select.POLLIN)
        self._poll.register(self._wake, select.POLLIN)

    def wait(self, is_writing: bool, timeout: Optional[float]) -> bool:
        if is_writing != self._is_writing:
            self._is_writing = is_writing
            self._poll.modify(self._connection, select.POLLIN | (select.POLLOUT if is_writing else 0))
        for number, _ in self._poll.poll(None if timeout is None else math.ceil(timeout * 1000)):
            if number == self._wake:
                return True
        return False


class _Select:
    def __init__(self, connection: socket.socket, wake: socket.socket) -> None:
        self._connection, self._wake = connection, wake

    def wait(self, is_writing: bool, timeout: Optional[float]) -> bool:
        writers = [self._connection] if is_writing else []
        readable, _, _ = select.select([self._connection, self._wake], writers, [], timeout)
        return self._wake in readable
