"""Which window the functions of the module talk to."""

from __future__ import annotations

import atexit
import os
import threading
from typing import Any, Optional

from ._channel import Call, Channel, Deliver, Request
from ._connection import Connection
from ._endpoint import endpoint_of, not_started_from_vscode
from .errors import BridgeError


class DefaultChannel:
    """The debug session when this process is under one with a bridge, else the run that the environment names."""

    def __init__(self) -> None:
        self._debug: Optional[Channel] = None
        self._connection: Optional[Connection] = None
        self._lock = threading.Lock()
        self._is_ending = False

    def start(self, request: Request[Any], deliver: Deliver) -> Call:
        try:
            return self._current().start(request, deliver)
        except BridgeError:
            self._await_end()
            raise

    def probe(self, deliver: Deliver) -> Call:
        try:
            return self._current().probe(deliver)
        except BridgeError:
            self._await_end()
            raise

    def set_debug(self, channel: Optional[Channel]) -> None:
        self._debug = channel

    def unset_debug(self, channel: Channel) -> None:
        if self._debug is channel:
            self._debug = None

    def close(self) -> None:
        connection = self._take()
        if connection is not None:
            connection.close()

    def close_at_exit(self) -> None:
        self._is_ending = True
        connection = self._take()
        if connection is not None:
            connection.close_at_exit()

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        if self._connection is not None:
            self._connection.abandon()

    def _await_end(self) -> None:
        """Only daemon threads are left when Python ends, and it ends them too: an error would make them print meanwhile,
        which Python answers with a fatal error of its own."""
        if self._is_ending and threading.current_thread() is not threading.main_thread():
            threading.Event().wait()

    def _take(self) -> Optional[Connection]:
        with self._lock:
            connection, self._connection = self._connection, None
        return connection

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
atexit.register(default_channel.close_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=default_channel.after_fork)
