"""What a program shows of its work must not disturb the work."""

from __future__ import annotations

import threading
import time
import unittest
from typing import Any, Callable, Dict

from fairlead.vscode_bridge.debug_adapter import DebugAdapterBridge

from .support import BridgeTestCase


class EndOfAProgress(BridgeTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.may_end = threading.Event()
        self.addCleanup(self.may_end.set)
        self.server.handlers["vscode/progress"] = lambda _: {"isCancelled": False}

    def assert_undisturbed(self, error: BaseException, disturb: Callable[[], object]) -> None:
        """What the block raises comes out of it, and nothing else, after a moment at most."""
        started = time.monotonic()
        with self.assertRaises(type(error)) as raised, self.bridge.progress("Copying"):
            disturb()
            raise error
        self.assertIs(raised.exception, error)
        self.assertLess(time.monotonic() - started, 5)

    def test_a_window_that_is_closed_meanwhile(self) -> None:
        self.assert_undisturbed(KeyboardInterrupt(), self.server.stop)

    def test_a_run_that_ends_meanwhile(self) -> None:
        self.assert_undisturbed(SystemExit(3), lambda: self.server.peers[0].close(1001, "the run has ended"))

    def test_a_connection_that_was_closed_meanwhile(self) -> None:
        self.assert_undisturbed(KeyError("the work"), self.connection.close)

    def test_a_window_that_does_not_answer(self) -> None:
        self.server.handlers["vscode/progress"] = lambda params: {"ok": "done" in params and self.may_end.wait(10)}
        self.assert_undisturbed(KeyError("the work"), lambda: None)
        started = time.monotonic()
        with self.bridge.progress("Copying"):
            pass
        self.assertLess(time.monotonic() - started, 5)

    def test_a_debug_client_that_has_gone(self) -> None:
        has_gone = False

        def send_event(_: str, body: Dict[str, Any]) -> None:
            if has_gone:
                raise BrokenPipeError
            arguments = {"requestId": body["requestId"], "success": True, "result": {}}
            adapter.take({"type": "request", "command": "customRequestResponse", "arguments": arguments})

        adapter = DebugAdapterBridge(send_event, lambda *_: None)
        with self.assertRaises(KeyboardInterrupt), adapter.progress("Copying"):
            has_gone = True
            raise KeyboardInterrupt


if __name__ == "__main__":
    unittest.main()
