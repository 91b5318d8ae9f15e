"""A real debug adapter in a process of its own, and this test as its debug client."""

from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from fairlead.vscode_bridge import BridgeClosedError, BridgeTimeoutError, DiffText
from fairlead.vscode_bridge.debug_adapter import DebugAdapterBridge, read_messages

from .bridge_server import BridgeServer
from .support import EXAMPLES, SOURCE


class DebugClient:
    def __init__(self, environment: Dict[str, str]) -> None:
        inherited = {name: value for name, value in os.environ.items() if "_RUN_BRIDGE_" not in name}
        self._adapter = subprocess.Popen(
            [sys.executable, str(EXAMPLES / "debug_adapter.py")],
            env={**inherited, "PYTHONPATH": SOURCE, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._adapter.stdout is not None
        self.messages: Iterator[Dict[str, Any]] = read_messages(self._adapter.stdout)  # type: ignore[arg-type]
        self._seq = itertools.count(1)

    def send(self, command: str, arguments: Optional[Dict[str, Any]] = None) -> None:
        message = {"seq": next(self._seq), "type": "request", "command": command, "arguments": arguments or {}}
        raw = json.dumps(message).encode()
        assert self._adapter.stdin is not None
        self._adapter.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(raw), raw))
        self._adapter.stdin.flush()

    def until(self, kind: str, name: str) -> Dict[str, Any]:
        """The next message of that name; whatever comes before it is skipped."""
        for message in self.messages:
            if message["type"] == kind and message["event" if kind == "event" else "command"] == name:
                return message
        raise AssertionError(f"there was no {kind} {name}")

    def end(self) -> int:
        assert self._adapter.stdin is not None and self._adapter.stdout is not None
        self._adapter.stdin.close()
        code = self._adapter.wait(10)
        self._adapter.stdout.close()
        return code


class DebugSession(unittest.TestCase):
    def start(self, program: str, environment: Optional[Dict[str, str]] = None) -> DebugClient:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = Path(directory.name, "program.py")
        path.write_text(textwrap.dedent(program), encoding="utf-8")
        client = DebugClient(environment or {})
        client.send("initialize")
        client.send("launch", {"program": str(path)})
        client.until("event", "initialized")
        client.send("configurationDone")
        return client

    def test_a_program_asks_through_the_debug_session(self) -> None:
        client = self.start(
            """
            import vscode_bridge
            print(vscode_bridge.is_available())
            print(vscode_bridge.chat("2+2?", timeout=5))
            """
        )
        asked = client.until("event", "customRequest")["body"]
        params = {"message": "2+2?", "timeout": 5000}
        self.assertEqual(asked, {"requestId": 1, "type": "vscode/chat", "params": params, "protocolVersion": 1})
        # What comes in between waits its turn, and is not lost.
        client.send("threads")
        result = {"response": "4", "conversationId": "c"}
        client.send("customRequestResponse", {"requestId": 1, "success": True, "result": result})
        self.assertEqual(client.until("response", "customRequestResponse")["success"], True)
        self.assertEqual(client.until("event", "output")["body"]["output"], "True\n4\n")
        client.until("response", "threads")
        client.send("disconnect")
        client.until("response", "disconnect")
        self.assertEqual(client.end(), 0)

    def test_parts_errors_and_cancellation_go_through_it(self) -> None:
        client = self.start(
            """
            import vscode_bridge
            for piece in vscode_bridge.chat_stream("tell"): print(piece)
            try: vscode_bridge.chat("no")
            except vscode_bridge.NoModelError as error: print(error.code)
            try: vscode_bridge.execute_command("slow", timeout=0.2)
            except vscode_bridge.BridgeTimeoutError: print("late")
            """
        )
        client.until("event", "customRequest")
        for index, text in enumerate(["one", "two"]):
            client.send("customRequestPart", {"requestId": 1, "index": index, "text": text})
        client.send("customRequestResponse", {"requestId": 1, "success": True, "result": {"response": "onetwo"}})
        client.until("event", "customRequest")
        refusal = {"requestId": 2, "success": False, "error": "none", "code": "no_model"}
        client.send("customRequestResponse", refusal)
        self.assertEqual(client.until("event", "customRequest")["body"]["type"], "vscode/executeCommand")
        cancel = client.until("event", "customRequest")["body"]
        self.assertEqual((cancel["requestId"], cancel["type"]), (3, "$/cancel"))
        self.assertEqual(client.until("event", "output")["body"]["output"], "one\ntwo\nno_model\nlate\n")
        self.assertEqual(client.end(), 0)

    def test_the_debug_session_wins_over_the_run(self) -> None:
        server = BridgeServer()
        self.addCleanup(server.stop)
        client = self.start("import vscode_bridge; vscode_bridge.show_message('x')", server.environment)
        client.until("event", "customRequest")
        client.send("customRequestResponse", {"requestId": 1, "success": True, "result": {}})
        client.until("event", "terminated")
        self.assertEqual(client.end(), 0)
        self.assertEqual(server.requests, [])

    def test_a_client_that_goes_away_ends_the_adapter(self) -> None:
        client = self.start("import vscode_bridge; vscode_bridge.chat('x', timeout=0.5)")
        client.until("event", "customRequest")
        self.assertEqual(client.end(), 0)


class AdapterWithItsOwnThread(unittest.TestCase):
    """An adapter that reads its messages itself hands them over with `take`."""

    def setUp(self) -> None:
        self.events: List[Dict[str, Any]] = []
        self.answered: List[Dict[str, Any]] = []
        self.sent = threading.Condition()
        self.bridge = DebugAdapterBridge(self.send_event, lambda request, _: self.answered.append(request))

    def send_event(self, _: str, body: Dict[str, Any]) -> None:
        with self.sent:
            self.events.append(body)
            self.sent.notify_all()

    def answer(self, result: Dict[str, Any]) -> None:
        with self.sent:
            self.sent.wait_for(lambda: bool(self.events), 10)
        arguments = {"requestId": self.events[0]["requestId"], "success": True, "result": result}
        message = {"type": "request", "seq": 1, "command": "customRequestResponse", "arguments": arguments}
        self.assertTrue(self.bridge.take(message))

    def test_it_takes_only_what_is_for_the_bridge(self) -> None:
        self.assertFalse(self.bridge.take({"type": "request", "seq": 1, "command": "threads"}))
        self.assertFalse(self.bridge.take({"type": "event", "event": "customRequestResponse"}))
        reader = threading.Thread(target=self.answer, args=({"title": "T"},))
        reader.start()
        self.assertEqual(self.bridge.show_diff(DiffText("a"), DiffText("b")), "T")
        reader.join()
        self.assertEqual(len(self.answered), 1)

    def test_the_end_of_the_session_ends_what_waits(self) -> None:
        def end() -> None:
            with self.sent:
                self.sent.wait_for(lambda: bool(self.events), 10)
            self.bridge.close()

        session = threading.Thread(target=end)
        session.start()
        with self.assertRaises(BridgeClosedError):
            self.bridge.chat("x")
        session.join()
        self.assertFalse(self.bridge.is_available())

    def test_a_late_answer_is_taken_and_dropped(self) -> None:
        with self.assertRaises(BridgeTimeoutError):
            self.bridge.chat("x", timeout=0.05)
        self.answer({"response": "too late"})


class Messages(unittest.TestCase):
    def test_they_may_come_in_pieces_and_together(self) -> None:
        raw = b"".join(
            b"Content-Length: %d\r\nOther: x\r\n\r\n%s" % (len(body), body)
            for body in (json.dumps({"number": number, "text": "é" * number}).encode() for number in range(50))
        )

        class Dribble(io.RawIOBase):
            position = 0

            def read(self, _: int = -1) -> bytes:
                size = 1 + self.position % 17
                data = raw[self.position : self.position + size]
                self.position += size
                return data

        numbers = [message["number"] for message in read_messages(Dribble())]  # type: ignore[arg-type]
        self.assertEqual(numbers, list(range(50)))


if __name__ == "__main__":
    unittest.main()
