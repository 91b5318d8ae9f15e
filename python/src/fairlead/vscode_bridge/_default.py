"""Which window the functions of the module talk to."""

from __future__ import annotations

import atexit
import os
import threading
from typing import Any, Optional

from ._channel import Call, Channel, Deliver, Request
from ._connection import Connection
from ._endpoint import endpoint_of, not_started_from_vscode


class DefaultChannel:
    """The debug session when this process is under one with a bridge, else the run that the environment names."""

    def __init__(self) -> None:
        self._debug: Optional[Channel] = None
        self._connection: Optional[Connection] = None
        self._lock = threading.Lock()

    def start(self, request: Request[Any], deliver: Deliver) -> Call:
        return self._current().start(request, deliver)

    def probe(self, deliver: Deliver) -> Call:
        return self._current().probe(deliver)

    def set_debug(self, channel: Optional[Channel]) -> None:
        self._debug = channel

    def unset_debug(self, channel: Channel) -> None:
        if self._debug is channel:
            self._debug = None

    def close(self) -> None:
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        if self._connection is not None:
            self._connection.abandon()

    def _current(self) -> Channel:
        if self._debug is not None:
            return self._debug
        connection = self._connection
        return connection if connection is not None else self._connect()

    def _connect(self) -> Channel:
        endpoint = endpoint_of(os.environ)
        if endpoint is None:
            raise not_started_from_vscode(os.environ)
        with self._lock:
            if self._connection is None:
                self._connection = Connection(endpoint)
            return self._connection


default_channel = DefaultChannel()
atexit.register(default_channel.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=default_channel.after_fork)
