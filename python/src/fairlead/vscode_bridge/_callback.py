"""Requests over a function that waits for its reply itself."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Dict

from ._channel import Deliver, Done, PassiveCall, Request, delivery_of


class CallbackChannel:
    """The function runs in the thread that asks, so an adapter with one thread can read its messages meanwhile."""

    def __init__(self, send_request: Callable[[Dict[str, Any]], Dict[str, Any]]) -> None:
        self._send_request = send_request
        self._ids = itertools.count()

    def start(self, request: Request[Any], deliver: Deliver) -> PassiveCall:
        frame = {"id": next(self._ids), "type": request.type, "params": request.wire_params}
        deliver(delivery_of(request.type, self._send_request(frame)))
        return PassiveCall()

    def probe(self, deliver: Deliver) -> PassiveCall:
        deliver(Done({}))
        return PassiveCall()

