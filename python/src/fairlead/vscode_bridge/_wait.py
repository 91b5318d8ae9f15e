"""Waiting for the reply to one request, in the thread that asked."""

from __future__ import annotations

import queue
import time
from typing import Any, Callable, Dict, Iterator, Optional

from ._channel import Call, Deliver, Delivery, Done, Failed, Part, overdue
from .results import Chat


class Waiting:
    """Starts a request. Whatever ends the waiting before the reply, an interrupt too, cancels it in the window."""

    def __init__(self, start: Callable[[Deliver], Call], timeout: Optional[float], what: str) -> None:
        self._inbox: "queue.SimpleQueue[Delivery]" = queue.SimpleQueue()
        self._timeout = timeout
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._what = what
        self._call = start(self._inbox.put)

    def result(self) -> Dict[str, Any]:
        while True:
            delivery = self.next()
            if isinstance(delivery, Done):
                return delivery.result

    def next(self) -> Delivery:
        """A part, or the end; an error is raised."""
        try:
            if self._inbox.empty():
                self._call.attend(self._is_served, self._remaining())
            delivery = self._inbox.get(timeout=self._remaining())
        except queue.Empty:
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

    def discard(self) -> None:
        self._call.discard()

    def _is_served(self) -> bool:
        return not self._inbox.empty()

    def _remaining(self) -> Optional[float]:
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 0)


class ChatStream(Iterator[str]):
    """The pieces of an answer as they come. Leaving the loop early and closing the stream cancels the request."""

    def __init__(self, waiting: Waiting, read: Callable[[Dict[str, Any]], Chat]) -> None:
        self._waiting = waiting
        self._read = read
        #: The whole answer, once there is no further piece.
        self.answer: Optional[Chat] = None

    def __next__(self) -> str:
        if self.answer is not None:
            raise StopIteration
        delivery = self._waiting.next()
        if isinstance(delivery, Part):
            return delivery.text
        assert isinstance(delivery, Done)
        self.answer = self._read(delivery.result)
        raise StopIteration

    def close(self) -> None:
        # The garbage collector may call it: here, or by closing a generator that uses the stream.
        self._waiting.discard()

    def __enter__(self) -> "ChatStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
