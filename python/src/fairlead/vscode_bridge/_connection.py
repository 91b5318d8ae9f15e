"""The connection of run mode: one WebSocket for all threads, opened by the first request, opened again when it breaks."""

from __future__ import annotations

import itertools
import json
import secrets
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Set

from ._channel import Deliver, Done, Failed, Part, Request, delivery_of
from ._endpoint import Endpoint, closed, lost, not_understood, refused, unknown_outcome, unreachable
from ._greet import dial, greet
from ._link import Link, LinkLost
from ._request_text import about_request, request_text
from .errors import BridgeClosedError, BridgeError

#: After so long without a caller that reads for itself the thread of the connection does it.
_IDLE_SECONDS = 0.05
_MOST_ACKNOWLEDGEMENTS = 32
_FIRST_PAUSE_SECONDS = 0.02
_LONGEST_PAUSE_SECONDS = 1.0
#: Close codes after which the run's token is good for nothing: its run has ended, or it never was good.
_RUN_IS_OVER = (1001, 1008)
#: Close codes that say that one side cannot read the other: connecting again would only repeat that.
_NOT_UNDERSTOOD = (1002, 1003, 1007, 1009)


class Connection:
    """The work is done by a thread that lives as long as the connection. A request that was under way when the
    connection broke is sent again under its id: the window does it once, and keeps the reply until it is acknowledged."""

    def __init__(self, endpoint: Endpoint, reconnect_seconds: float = 60.0) -> None:
        self._endpoint = endpoint
        self._reconnect_seconds = reconnect_seconds
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._is_closed = False
        #: Whoever holds it reads from the link.
        self._reading = threading.Lock()
        #: There is something to do for the thread of the connection.
        self._attention = threading.Event()
        self._attended_at = 0.0
        self._client_id = _new_client_id()
        self._server_id: Optional[str] = None
        self._ids = itertools.count(1)
        self._pending: Dict[int, _Call] = {}
        #: Streams that nobody reads any more. Adding takes no lock: the thread that is collecting may hold any of ours.
        self._discarded: Deque[_Call] = deque()
        #: Those that were cancelled while there was no connection.
        self._to_cancel: Set[int] = set()
        #: Frames that can wait until there are several, or a pause.
        self._to_acknowledge: List[str] = []
        #: From the window's welcome until the connection is known to be lost.
        self._link: Optional[Link] = None
        #: Why there is no connection any more; None before the first, and while there is one.
        self._loss: Optional[Exception] = None
        self._lost_at = 0.0
        self._thread: Optional[threading.Thread] = None

    def start(self, request: Request[Any], deliver: Deliver) -> "_Call":
        call = _Call(self, next(self._ids), request, deliver)
        call.text = request_text(call.id, request)
        with self._lock:
            if self._is_closed:
                raise closed()
            self._pending[call.id] = call
            if self._link is None:
                self._ensure_thread()
            else:
                call.server_id = self._server_id
                self._link.send(call.text)
        return call

    def probe(self, deliver: Deliver) -> "_Call":
        call = _Call(self, next(self._ids), None, deliver)
        with self._lock:
            if self._is_closed:
                raise closed()
            is_open = self._link is not None
            if not is_open:
                self._pending[call.id] = call
                self._ensure_thread()
        if is_open:
            deliver(Done({}))
        return call

    def attend(self, is_served: Callable[[], bool], timeout: Optional[float]) -> None:
        """Reads in the thread of the caller: to hand each reply over from the thread of the connection would take it
        as long as all the rest."""
        if not self._reading.acquire(blocking=False):
            return
        deadline = None if timeout is None else time.monotonic() + timeout
        link = self._link
        try:
            while link is not None and not is_served() and not self._is_closed:
                remaining = None if deadline is None else deadline - time.monotonic()
                if remaining is not None and remaining <= 0:
                    break
                self._read(link, remaining)
        except LinkLost:
            self._attention.set()
        except BaseException:
            # An interrupt may have come between any two steps: what was read by then is read anew.
            link.abandon()  # type: ignore[union-attr]
            self._attention.set()
            raise
        finally:
            self._attended_at = time.monotonic()
            self._reading.release()
            if self._pending:
                self._attention.set()

    def leave(self) -> None:
        self._attention.set()

    def cancel(self, call: "_Call") -> None:
        with self._lock:
            # In a forked child another call may have its id.
            if self._pending.get(call.id) is not call:
                return
            self._pending.pop(call.id, None)
            if call.server_id is None:
                return
            if self._link is None:
                self._to_cancel.add(call.id)
            else:
                self._link.send(about_request("$/cancel", call.id))

    def discard(self, call: "_Call") -> None:
        if self._pending.get(call.id) is not call:
            return
        self._discarded.append(call)
        link = self._link
        if link is not None:
            link.wake()

    def absence(self, call: "_Call", timeout: float) -> Optional[BridgeError]:
        loss = self._loss
        if loss is None:
            return None
        return unreachable(self._endpoint, loss) if call.server_id is None else lost(self._endpoint, loss, timeout)

    def close(self) -> None:
        """Takes leave of the window; who still waits gets an error."""
        with self._lock:
            self._is_closed = True
            thread, link = self._thread, self._link
        self._attention.set()
        if link is not None:
            link.wake()
        if thread is not None and thread is not threading.current_thread():
            thread.join(2.0)

    def close_at_exit(self) -> None:
        """Takes leave of the window; who still waits is told nothing."""
        with self._lock:
            self._is_closed = True
            self._pending.clear()
        self.close()

    def abandon(self) -> None:
        """For a forked child: what is open belongs to its parent, and the child is a client of its own."""
        link = self._link
        self._begin()
        if link is not None:
            link.abandon()

    def _ensure_thread(self) -> None:
        if self._thread is not None:
            return
        thread = threading.Thread(target=self._run, name="vscode-bridge", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            self._pending.clear()
            raise BridgeClosedError(f"The bridge cannot be used while Python ends: {error}.") from error
        self._thread = thread

    def _run(self) -> None:
        try:
            while self._is_needed():
                link = self._open()
                if link is not None:
                    self._serve(link)
        except BridgeError as error:
            self._fail(error)
        except Exception as error:  # whatever it is, nobody may wait for ever
            self._fail(BridgeClosedError(f"The bridge cannot go on: {error!r}."))

    def _is_needed(self) -> bool:
        with self._lock:
            if self._is_closed:
                raise closed()
            if not self._pending:
                self._thread = None
            return self._thread is not None

    def _fail(self, error: BridgeError) -> None:
        with self._lock:
            self._thread = None
            # A later request begins anew: what the window kept for this client is nobody's.
            self._client_id, self._server_id, self._loss = _new_client_id(), None, None
            calls = list(self._pending.values())
            self._pending.clear()
            self._to_cancel.clear()
        for call in calls:
            call.deliver(Failed(error))

    def _fail_those(self, error: BridgeError, is_meant: "Callable[[_Call], bool]") -> None:
        with self._lock:
            calls = [call for call in self._pending.values() if is_meant(call)]
            for call in calls:
                del self._pending[call.id]
        for call in calls:
            call.deliver(Failed(error))

    def _open(self) -> Optional[Link]:
        """None when nobody waits any more. Only a connection that was there before is tried for longer than once."""
        give_up_at = self._lost_at + self._reconnect_seconds
        pause = _FIRST_PAUSE_SECONDS
        while True:
            self._attention.clear()
            try:
                return self._connect()
            except (OSError, LinkLost) as error:
                if isinstance(error, LinkLost):
                    self._check_loss(error)
                if self._server_id is None:
                    raise unreachable(self._endpoint, error) from error
                self._loss = error
                not_there = unreachable(self._endpoint, error)
                if time.monotonic() + pause > give_up_at:
                    self._fail_those(not_there, lambda call: call.server_id is None)
                    raise lost(self._endpoint, error, self._reconnect_seconds) from error
                self._fail_those(not_there, lambda call: call.request is None)
            self._attention.wait(pause)
            self._cancel_discarded()
            if self._is_closed or not self._pending:
                return None
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)

    def _connect(self) -> Link:
        """Says who this is, and sends what the window does not know yet."""
        link = dial(self._endpoint)
        try:
            welcome, *others = greet(link, self._endpoint, self._client_id)
            self._resume(link, bool(welcome.get("isResumed")), str(welcome.get("serverId")))
        except BaseException:
            link.close()
            raise
        for message in others:
            self._dispatch(message)
        return link

    def _resume(self, link: Link, is_resumed: bool, server_id: str) -> None:
        settled: List[_Call] = []
        self._cancel_discarded()
        with self._lock:
            self._server_id = server_id
            for call in list(self._pending.values()):
                if call.request is None or not call.may_be_sent(is_resumed):
                    settled.append(self._pending.pop(call.id))
                    continue
                call.server_id = server_id
                link.send(call.text)
            for call_id in self._to_cancel if is_resumed else ():
                link.send(about_request("$/cancel", call_id))
            self._to_cancel.clear()
            self._to_acknowledge = []
            self._link, self._loss = link, None
        for call in settled:
            call.deliver(Done({}) if call.request is None else Failed(unknown_outcome(call.request.type)))

    def _serve(self, link: Link) -> None:
        try:
            while not self._is_closed:
                self._attention.clear()
                if self._is_wanted() and self._reading.acquire(blocking=False):
                    try:
                        self._read(link, None)
                    finally:
                        self._reading.release()
                else:
                    self._attention.wait(_IDLE_SECONDS)
        except LinkLost as loss:
            self._check_loss(loss)
            self._loss, self._lost_at = loss, time.monotonic()
        finally:
            with self._lock:
                self._link = None
            link.wake()
            with self._reading:
                link.close()

    def _is_wanted(self) -> bool:
        """Callers that come one after the other read for themselves, and should find nobody at it."""
        if self._pending:
            return True
        if time.monotonic() - self._attended_at < _IDLE_SECONDS:
            return False
        self._acknowledge()
        return True

    def _read(self, link: Link, timeout: Optional[float]) -> None:
        self._cancel_discarded()
        for text in link.receive(timeout):
            self._dispatch(json.loads(text))

    def _cancel_discarded(self) -> None:
        """For whoever reads, and while nobody can: one thread at a time."""
        while self._discarded:
            # Taken out when it is done: an interrupt in between repeats it.
            self.cancel(self._discarded[0])
            self._discarded.popleft()

    def _acknowledge(self) -> None:
        with self._lock:
            if self._link is not None and self._to_acknowledge:
                frames, self._to_acknowledge = self._to_acknowledge, []
                self._link.send(*frames)

    def _check_loss(self, loss: LinkLost) -> None:
        """Raises when it is of no use to connect again."""
        if loss.code in _RUN_IS_OVER:
            raise refused(loss.reason) from loss
        if loss.code in _NOT_UNDERSTOOD:
            raise not_understood(loss.reason) from loss

    def _dispatch(self, message: Dict[str, Any]) -> None:
        call_id = message.get("id")
        if not isinstance(call_id, int):
            return
        call = self._pending.get(call_id)
        if message.get("type") == "$/part":
            # After a reconnection they come again from the first one.
            if call is not None and message.get("index") == call.parts_seen:
                call.parts_seen += 1
                call.deliver(Part(str(message.get("text"))))
        elif "success" in message:
            # Delivered first: an interrupt in between leaves a reply that comes twice, not one that is lost.
            if call is not None and call.request is not None:
                call.deliver(delivery_of(call.request.type, message))
            self._attended_at = time.monotonic()
            self._pending.pop(call_id, None)
            self._to_acknowledge.append(about_request("$/ack", call_id))
            if len(self._to_acknowledge) >= _MOST_ACKNOWLEDGEMENTS:
                self._acknowledge()


class _Call:
    """A request under way; one without a request only asks whether the window is there."""

    __slots__ = ("_connection", "id", "request", "deliver", "text", "server_id", "parts_seen")

    def __init__(
        self, connection: Connection, call_id: int, request: Optional[Request[Any]], deliver: Deliver
    ) -> None:
        self._connection = connection
        self.id = call_id
        self.request = request
        self.deliver = deliver
        self.text = ""
        #: The window it was sent to; None before.
        self.server_id: Optional[str] = None
        self.parts_seen = 0

    def attend(self, is_served: Callable[[], bool], timeout: Optional[float]) -> None:
        self._connection.attend(is_served, timeout)

    def leave(self) -> None:
        self._connection.leave()

    def cancel(self) -> None:
        self._connection.cancel(self)

    def discard(self) -> None:
        self._connection.discard(self)

    def absence(self, timeout: float) -> Optional[BridgeError]:
        return self._connection.absence(self, timeout)

    def may_be_sent(self, is_resumed: bool) -> bool:
        """Not when the window may have done it and has forgotten that."""
        return self.server_id is None or is_resumed or (self.request is not None and self.request.is_repeatable)


def _new_client_id() -> str:
    return secrets.token_urlsafe(24)
