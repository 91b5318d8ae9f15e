from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, Optional

from fairlead.vscode_bridge import Bridge
from fairlead.vscode_bridge._connection import Connection
from fairlead.vscode_bridge._endpoint import Endpoint

from .bridge_server import SESSION, TOKEN, BridgeServer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "bridge"
SOURCE = str(Path(__file__).resolve().parent.parent / "src")


def echo(params: Dict[str, Any]) -> Dict[str, Any]:
    return {"echo": params.get("value")}


class BridgeTestCase(unittest.TestCase):
    """A server and a client of its own for every test."""

    def setUp(self) -> None:
        self.server = BridgeServer()
        self.addCleanup(self.server.stop)
        self.connection = self.connect()
        self.bridge = Bridge(self.connection)

    def when(self, condition: Callable[[], bool], act: Callable[[], object]) -> None:
        """Does something in the background once the server has come so far."""

        def work() -> None:
            self.server.wait_for(condition)
            act()

        thread = threading.Thread(target=work)
        thread.start()
        self.addCleanup(thread.join)

    def wait_until_unavailable(self, bridge: Bridge) -> None:
        """Until the client has noticed that the window is gone."""
        deadline = time.monotonic() + 10
        while bridge.is_available():
            self.assertLess(time.monotonic(), deadline)

    def connect(self, token: str = TOKEN, reconnect_seconds: float = 10) -> Connection:
        connection = Connection(Endpoint(self.server.address, token, SESSION), reconnect_seconds)
        self.addCleanup(connection.close)
        return connection


def run_python(
    code: str, environment: Optional[Dict[str, str]] = None, seconds: float = 30
) -> "subprocess.CompletedProcess[str]":
    """A program of its own, as a user would start it."""
    inherited = {name: value for name, value in os.environ.items() if "_RUN_BRIDGE_" not in name}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**inherited, "PYTHONPATH": SOURCE, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
