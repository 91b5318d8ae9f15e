"""What carries requests to a window: a WebSocket in run mode, a debug session in debug mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, Optional, Protocol, TypeVar, Union

from .errors import BridgeError, error_of_reply

Result = TypeVar("Result")
#: What the wire allows: a day.
_LONGEST_MS = 86_400_000


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

    @property
    def wire_params(self) -> Dict[str, Any]:
        """With the time the caller waits, of which the window takes a little less."""
        if self.timeout is None and self.waits_for_user:
            return self.params
        timeout_ms = _LONGEST_MS if self.timeout is None else int(self.timeout * 1000)
        return {**self.params, "timeout": min(max(timeout_ms, 1), _LONGEST_MS)}


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


class PassiveCall:
    """Of a channel that reads in a thread of its own in any case."""

    def attend(self, is_served: Callable[[], bool], timeout: Optional[float]) -> None:
        """There is nothing to do."""

    def leave(self) -> None:
        """There is nothing to do."""

    def cancel(self) -> None:
        """It has ended already."""
