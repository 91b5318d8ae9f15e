"""Opens a connection to the window: the WebSocket, then who this is, then the window's welcome."""

from __future__ import annotations

import json
import time
from typing import Any, Dict, List

from ._endpoint import Endpoint, not_a_bridge, refused
from ._handshake import HandshakeFault, open_websocket
from ._link import Link

_PROTOCOL_VERSION = 1
_REPLY_LIMIT_BYTES = 64 << 20
_CONNECT_SECONDS = 5.0


def dial(endpoint: Endpoint) -> Link:
    headers = {"Authorization": f"Bearer {endpoint.token}"}
    try:
        connection, rest = open_websocket(endpoint.address, headers, _CONNECT_SECONDS)
    except HandshakeFault as fault:
        if fault.status in (401, 403):
            raise refused(fault.detail) from fault
        raise not_a_bridge(endpoint, f"HTTP status {fault.status} {fault.detail}".strip()) from fault
    except ValueError as error:
        raise not_a_bridge(endpoint, str(error)) from error
    return Link(connection, rest, _REPLY_LIMIT_BYTES)


def greet(link: Link, endpoint: Endpoint, client_id: str) -> List[Dict[str, Any]]:
    """The welcome, and what came with it."""
    hello = {
        "type": "$/hello",
        "protocolVersion": _PROTOCOL_VERSION,
        "session": endpoint.session,
        "clientId": client_id,
    }
    deadline = time.monotonic() + _CONNECT_SECONDS
    link.send(json.dumps(hello))
    texts: List[str] = []
    while not texts:
        if time.monotonic() > deadline:
            raise TimeoutError("it does not answer the greeting")
        texts = link.receive(deadline - time.monotonic())
    messages = [json.loads(text) for text in texts]
    if messages[0].get("type") != "$/welcome":
        raise not_a_bridge(endpoint, "it does not answer the greeting with a welcome")
    return messages
