"""What carries requests to a window: a WebSocket in run mode, a debug session in debug mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, Optional, Protocol, TypeVar, Union

from ._seconds import LONGEST_SECONDS, time_limit
from .errors import MORE_TIME, BridgeError, BridgeTimeoutError, error_of_reply

Result = TypeVar("Result")


@dataclass
class Request(Generic[Result]):
    type: str
    params: Dict[str, Any]
    #: Seconds that the caller waits; None is as long as it takes.
    timeout: Optional[float]
    #: Makes of the result on the wire what the caller gets.
    read: Callable[[Dict[str, Any]], Result]
    #: Whether a window that was reloaded, and may have done it before, can be asked once more.
    is_repeatable: bool = True
    #: Without a time-out the window then waits for the user as long as it takes.
    waits_for_user: bool = False

    def __post_init__(self) -> None:
        self.timeout = time_limit(self.timeout)

    @property
    def wire_params(self) -> Dict[str, Any]:
        """With the time the caller waits, of which the window takes a little less."""
        if self.timeout is None and self.waits_for_user:
            return self.params
        seconds = LONGEST_SECONDS if self.timeout is None else self.timeout
        return {**self.params, "timeout": max(int(seconds * 1000), 1)}


@dataclass
class Part:
    """A part of a result that is still being made."""

    text: str


@dataclass
class Done:
    result: Dict[str, Any]


@dataclass
class Failed:
    error: BridgeError


Delivery = Union[Part, Done, Failed]
Deliver = Callable[[Delivery], None]


class Call(Protocol):
    """Whoever starts one says with `attend` or `leave` how it waits for what is delivered."""

    def attend(self, is_served: Callable[[], bool], timeout: Optional[float]) -> None:
        """The caller's thread has nothing else to do, and may work for the channel until something was delivered, at
        most for `timeout` seconds. It may also return at once."""

    def leave(self) -> None:
        """The caller does something else meanwhile."""

    def cancel(self) -> None:
        """Nobody waits for it any more: the window is told to stop. Nothing happens when it has ended already."""

    def discard(self) -> None:
        """`cancel` for the garbage collector, which may come in the middle of anything: it takes no lock and calls
        nobody, and another thread tells the window."""

    def absence(self, timeout: float) -> Optional[BridgeError]:
        """What to say after so many seconds when there is no window that could reply; None when there is one."""


class Channel(Protocol):
    def start(self, request: "Request[Any]", deliver: Deliver) -> Call:
        """Sends a request. What comes back is delivered from any thread: parts, then Done or Failed, once."""

    def probe(self, deliver: Deliver) -> Call:
        """Done when the window is there, Failed when it is not."""


def delivery_of(request_type: str, reply: Dict[str, Any]) -> Delivery:
    """What a reply on the wire means."""
    if reply.get("success"):
        result = reply.get("result")
        return Done(result if isinstance(result, dict) else {})
    message = str(reply.get("error") or "it gave no reason.")
    return Failed(error_of_reply(request_type, str(reply.get("code") or "failed"), message))


def overdue(call: Call, what: str, timeout: Optional[float]) -> BridgeError:
    """What to raise when the time is over. More time is of no use when the window is gone."""
    assert timeout is not None
    message = f"VS Code did not answer {what} within {timeout:g} s. {MORE_TIME}"
    return call.absence(timeout) or BridgeTimeoutError(message)


class PassiveCall:
    """Of a channel that reads in a thread of its own in any case."""

    def attend(self, is_served: Callable[[], bool], timeout: Optional[float]) -> None:
        """There is nothing to do."""

    def leave(self) -> None:
        """There is nothing to do."""

    def cancel(self) -> None:
        """It has ended already."""

    def discard(self) -> None:
        """It has ended already."""

    def absence(self, timeout: float) -> Optional[BridgeError]:
        return None
