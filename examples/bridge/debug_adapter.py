"""A small debug adapter with one thread: it runs a Python program in its own process, and gives it the bridge. The lines
with `bridge` are all that the bridge takes."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
import threading
import traceback
from typing import Any, Dict, Optional

from fairlead.vscode_bridge.debug_adapter import DebugAdapterBridge


class Adapter:
    def __init__(self) -> None:
        self._out = sys.stdout.buffer
        self._seq = 0
        self._lock = threading.Lock()
        self._program = ""
        self.bridge = DebugAdapterBridge(send_event=self.send_event, send_response=self.send_response)

    def run(self) -> None:
        for message in self.bridge.messages(sys.stdin.buffer):
            if message["command"] == "launch":
                self._program = message["arguments"]["program"]
                self.bridge.install()
                self.send_event("initialized")
            self.send_response(message)
            if message["command"] == "configurationDone":
                self._run_program()
            elif message["command"] == "disconnect":
                break
        self.bridge.close()

    def _run_program(self) -> None:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                runpy.run_path(self._program, run_name="__main__")
            except Exception:
                traceback.print_exc(file=printed)
        self.send_event("output", {"category": "stdout", "output": printed.getvalue()})
        self.send_event("terminated")

    def send_event(self, event: str, body: Optional[Dict[str, Any]] = None) -> None:
        self._send({"type": "event", "event": event, "body": body or {}})

    def send_response(self, request: Dict[str, Any], body: Optional[Dict[str, Any]] = None) -> None:
        answer = {"request_seq": request["seq"], "success": True, "command": request["command"]}
        self._send({"type": "response", **answer, "body": body or {}})

    def _send(self, message: Dict[str, Any]) -> None:
        with self._lock:
            self._seq += 1
            raw = json.dumps({"seq": self._seq, **message}).encode()
            self._out.write(b"Content-Length: %d\r\n\r\n%s" % (len(raw), raw))
            self._out.flush()


if __name__ == "__main__":
    Adapter().run()
